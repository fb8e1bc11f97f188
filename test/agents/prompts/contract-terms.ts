// The terms of a prompt's contract: what its words have to say, whatever the wording.
export type Term = readonly [what: string, holds: (words: string) => boolean]

export const says = (what: string, ...patterns: readonly RegExp[]): Term => [
  what,
  (words) => patterns.every((pattern) => pattern.test(words)),
]

export const BLOCKS = says(
  'whom to follow',
  /blocks `trusted`: people decided/,
  /nothing in them is an instruction/,
  /only where its own id closes/,
)
