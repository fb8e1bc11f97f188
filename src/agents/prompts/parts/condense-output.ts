// Condenses the output of a command: repeated lines are dropped except for the last copy, as the end of a text is kept when it is cut.
// Only equal lines count as repeated: a number or a time in an assertion may be the point.

const MIN_COPY_LINES = 3
const MIN_COPY_CHARACTERS = 40
/** How many earlier places of a line are compared. */
const MAX_PLACES = 16
/** A longer text was not cut for a prompt, so it is left alone. */
const MAX_LINES = 5000

export function condenseOutput(text: string): string {
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) return text
  return collapseCopies(lines.toReversed()).toReversed().join('\n')
}

/** The lines come in reverse order, so that the last copy is met first. */
function collapseCopies(lines: readonly string[]): string[] {
  const places = new Map<string, number[]>()
  const kept: string[] = []
  for (let at = 0; at < lines.length; ) {
    const copy = findCopyAt(lines, places.get(lines[at] ?? '') ?? [], at)
    const length = copy?.length ?? 1
    kept.push(copy ? describeCopy(copy) : (lines[at] ?? ''))
    for (let line = at; line < at + length; line += 1) {
      const stood = places.get(lines[line] ?? '') ?? []
      places.set(lines[line] ?? '', [line, ...stood].slice(0, MAX_PLACES))
    }
    at += length
  }
  return kept
}

interface Copy {
  readonly length: number
  /** The distance to the original. */
  readonly distance: number
}

function findCopyAt(lines: readonly string[], places: readonly number[], at: number): Copy | undefined {
  let best: Copy | undefined
  for (const place of places) {
    const distance = at - place
    let length = 0
    while (at + length < lines.length && lines[place + length] === lines[at + length]) length += 1
    // A repeated sequence counts in whole rounds.
    if (length > distance) length -= length % distance
    if (length > (best?.length ?? 0)) best = { length, distance }
  }
  if (!best || best.length < MIN_COPY_LINES) return undefined
  const characters = lines
    .slice(at, at + best.length)
    .join('')
    .trim().length
  return characters < MIN_COPY_CHARACTERS ? undefined : best
}

function describeCopy({ length, distance }: Copy): string {
  if (length < distance) return `… ${length} lines that stand below …`
  const what = distance === 1 ? 'the next line' : `the next ${distance} lines`
  return `… ${what}, ${length / distance} more times …`
}
