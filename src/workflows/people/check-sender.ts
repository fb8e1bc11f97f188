// Checks the seal of a message: only a door of ours that has checked the sender can make one.
import { ed25519 } from '@noble/curves/ed25519.js'
import { hexToBytes } from '@noble/curves/utils.js'
import { formatSealedText, type SenderSeal } from '../../domain/people/sender-seal.ts'

export interface SealCheck {
  readonly workflowId: string
  /** Undefined until the session is open. */
  readonly senderKey: string | undefined
  /** The time of the last seal that counted: a message that is sent again by others may be as old, never older. */
  readonly notBefore: number
}

/** Whether a door of ours sealed this message to this session. */
export function isSealed(name: string, input: object, seal: SenderSeal, check: SealCheck): boolean {
  const { workflowId, senderKey, notBefore } = check
  if (senderKey === undefined || seal.at < notBefore) return false
  const { seal: _, ...message } = input as { readonly seal?: unknown }
  const text = new TextEncoder().encode(formatSealedText(workflowId, name, message, seal.at))
  return ed25519.verify(hexToBytes(seal.signature), text, hexToBytes(senderKey))
}
