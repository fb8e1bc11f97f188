// A door of ours seals a message whose sender it has checked. What any other message says about its sender is a claim.

export interface SenderSeal {
  /** When it was sealed, in milliseconds since the epoch; an older seal than the last one does not count again. */
  readonly at: number
  /** Of the text below, in hexadecimal digits, with the key of the home. */
  readonly signature: string
}

/** The text that is signed: a seal holds for one message to one session. */
export function formatSealedText(workflowId: string, name: string, message: object, at: number): string {
  return JSON.stringify([workflowId, name, at, message])
}

export function formatClaim(text: string): string {
  return `${text} (claimed)`
}
