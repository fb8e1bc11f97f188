// The fingerprint of a line by which code scanning recognises a result whose line has moved: `primaryLocationLineHash` of SARIF uploads.
// A rolling hash over the hundred characters from the line's first one on, blanks left out, with a count for lines that look the same.

const WINDOW = 100
const FACTOR = 37n
const END_OF_FILE = 65_535
const LINE_FEED = 10

/** The hash of each line, from line 1 at index 0. */
export function hashLines(text: string): string[] {
  const characters = readCharacters(text)
  const dropped = BigInt.asUintN(64, FACTOR ** BigInt(WINDOW))
  const hashes: string[] = []
  const counts = new Map<string, number>()
  let hash = 0n
  let [isLineStart, from] = [true, 0]
  const starts: number[] = []
  for (const [at, code] of characters.entries()) {
    if (isLineStart) starts.push(at)
    isLineStart = code === LINE_FEED
  }
  for (let at = 0; at < characters.length + WINDOW; at += 1) {
    const entering = BigInt(characters[at] ?? 0)
    const leaving = BigInt(characters[at - WINDOW] ?? 0)
    hash = BigInt.asUintN(64, FACTOR * hash + entering - dropped * leaving)
    if (starts[from] !== at - WINDOW + 1) continue
    from += 1
    const value = hash.toString(16)
    const count = (counts.get(value) ?? 0) + 1
    counts.set(value, count)
    hashes.push(`${value}:${count}`)
  }
  return hashes
}

/** The codes that count: no blanks, and one line feed for each line end. */
function readCharacters(text: string): number[] {
  const plain = text.replace(/\r\n?/g, '\n').replace(/[ \t]/g, '')
  return [...Array.from({ length: plain.length }, (_, at) => plain.charCodeAt(at)), END_OF_FILE]
}
