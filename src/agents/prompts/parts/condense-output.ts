// What a command printed, without what only repeats. Of lines that come again the last copy stays: where a text is cut, its end is what
// is kept. Only equal lines count as the same: a number in an assertion is the point, and so is a time there.

const MIN_COPY_LINES = 3
const MIN_COPY_CHARACTERS = 40
/** Places where a line stood before that are looked at. */
const MAX_PLACES = 16
/** What is longer was not cut to a prompt's measure by those who made it. */
const MAX_LINES = 5000

export function condenseOutput(text: string): string {
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) return text
  return collapseCopies(lines.toReversed()).toReversed().join('\n')
}

/** Of lines whose end comes first: a copy is what stood before. */
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
  /** How far away what it is a copy of begins. */
  readonly distance: number
}

function findCopyAt(lines: readonly string[], places: readonly number[], at: number): Copy | undefined {
  let best: Copy | undefined
  for (const place of places) {
    const distance = at - place
    let length = 0
    while (at + length < lines.length && lines[place + length] === lines[at + length]) length += 1
    // Something that comes again and again counts in whole rounds.
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
