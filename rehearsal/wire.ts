// What both providers' words share.

export interface HttpError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A plausible number of tokens: one for four characters of the JSON. */
export function tokens(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / 4)
}

/** A text in at most 40 pieces, as a stream brings it, cut between characters. */
export function pieces(text: string): string[] {
  const characters = [...text]
  const size = Math.max(24, Math.ceil(characters.length / 40))
  const cut: string[] = []
  for (let at = 0; at < characters.length; at += size) cut.push(characters.slice(at, at + size).join(''))
  return cut
}
