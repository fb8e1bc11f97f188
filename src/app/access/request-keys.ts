// Idempotency keys: a request that is sent again with its key is answered as the first time, and does nothing.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { AppContext } from '../context.ts'

const DAY_MS = 86_400_000
/** What a killed process leaves behind is free again after so long. */
const LEASE_MS = 60_000

export interface KeyedRequest {
  /** The text of the caller's token, which the store does not have. */
  readonly token: string
  readonly key: string
  /** All that makes it this request and no other. */
  readonly content: string | Uint8Array
}

export interface RepeatableAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type KeyClaim =
  /** The caller does the work, then calls one of the two. */
  | { readonly kind: 'free'; keep(answer: RepeatableAnswer): Promise<void>; release(): Promise<void> }
  | { readonly kind: 'answered'; readonly answer: RepeatableAnswer }
  | { readonly kind: 'in_flight' }
  | { readonly kind: 'other_request' }

export async function claimRequestKey(
  { store: { requestKeys } }: Pick<AppContext, 'store'>,
  { token, key, content }: KeyedRequest,
): Promise<KeyClaim> {
  const claim = randomUUID()
  const key_hash = createHash('sha256').update(`${token}\n${key}`).digest('hex')
  const fingerprint = createHash('sha256').update(content).digest('hex')
  const own = { key_hash, fingerprint, claim }
  const found = await requestKeys.claim({ ...own, kept_until: toTime(LEASE_MS) })
  // Only who sends the token and the key again can read what was answered.
  const secret = createHmac('sha256', token).update(key).digest()
  if (found.claim === claim) {
    const renewal = setInterval(
      // Where the store can't be written for a moment, the next renewal comes in time.
      () => void requestKeys.keep({ ...own, kept_until: toTime(LEASE_MS) }).catch(() => undefined),
      LEASE_MS / 3,
    ).unref()
    return {
      kind: 'free',
      async keep(answer) {
        clearInterval(renewal)
        await requestKeys.keep({ ...own, kept_until: toTime(DAY_MS), answer: seal(JSON.stringify(answer), secret) })
      },
      async release() {
        clearInterval(renewal)
        await requestKeys.release(own)
      },
    }
  }
  if (found.fingerprint !== fingerprint) return { kind: 'other_request' }
  if (found.answer === undefined) return { kind: 'in_flight' }
  return { kind: 'answered', answer: JSON.parse(unseal(found.answer, secret)) as RepeatableAnswer }
}

function toTime(fromNowMs: number): string {
  return new Date(Date.now() + fromNowMs).toISOString()
}

const IV_BYTES = 12
const TAG_BYTES = 16

function seal(text: string, secret: Uint8Array): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', secret, iv)
  const sealed = [cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64')
}

function unseal(text: string, secret: Uint8Array): string {
  const bytes = Buffer.from(text, 'base64')
  const cipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, IV_BYTES))
  cipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return cipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + cipher.final('utf8')
}
