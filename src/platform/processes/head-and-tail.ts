// Keeps the first and the last lines of a text of any length: a program's complaint stands at one of its ends.

const MAX_LINE_LENGTH = 2_000
/** Anything longer is data and not a word, and is cut anywhere. */
const MAX_WORD_LENGTH = 300

export interface HeadAndTail {
  add(line: string): void
  text(): string
}

export function createHeadAndTail(headLines: number, tailLines: number): HeadAndTail {
  const head: string[] = []
  const tail: string[] = []
  let dropped = 0
  return {
    add(line) {
      const short = line.length > MAX_LINE_LENGTH ? `${cutAtWord(line.slice(0, MAX_LINE_LENGTH))}…` : line
      if (head.length < headLines) {
        head.push(short)
        return
      }
      tail.push(short)
      if (tail.length > tailLines) {
        tail.shift()
        dropped += 1
      }
    },
    text() {
      const gap = dropped === 0 ? [] : [`… ${dropped} lines …`]
      return [...head, ...gap, ...tail].join('\n')
    },
  }
}

/** Cuts between words: the first half of a secret that was cut in two would not be recognised any more. */
function cutAtWord(line: string): string {
  const space = line.lastIndexOf(' ')
  if (space > MAX_LINE_LENGTH - MAX_WORD_LENGTH) return line.slice(0, space)
  // No surrogate pair is cut either.
  return line.replace(/[\uD800-\uDBFF]$/, '')
}
