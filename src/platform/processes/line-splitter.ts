// Cuts a stream into lines, as bytes, so that a character split between two chunks is whole again before it is decoded. A line over the
// limit is handed on cut, at a character; the file that the stream is written to has it whole.

const NEWLINE = 0x0a
const EMPTY = Buffer.alloc(0)

export interface LineSplitter {
  push(chunk: Uint8Array): void
  /** The last line may lack its newline. */
  end(): void
}

export function createLineSplitter(maxBytes: number, onLine: (line: string) => void): LineSplitter {
  let parts: Buffer[] = []
  let kept = 0

  function keep(part: Buffer): void {
    const room = maxBytes - kept
    if (room <= 0 || part.length === 0) return
    const fitting = part.length > room ? part.subarray(0, room) : part
    parts.push(fitting)
    kept += fitting.length
  }

  function flush(): void {
    const [first = EMPTY] = parts
    const bytes = parts.length <= 1 ? first : Buffer.concat(parts)
    // A streaming decoder keeps an unfinished character to itself, which drops what the cut left of it.
    const line = kept === maxBytes ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString('utf8')
    parts = []
    kept = 0
    hand(line)
  }

  function hand(line: string): void {
    const from = line.startsWith('\ufeff') ? 1 : 0
    const end = line.endsWith('\r') ? -1 : undefined
    onLine(from === 0 && end === undefined ? line : line.slice(from, end))
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      let from = 0
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        if (kept === 0 && at - from < maxBytes) hand(bytes.toString('utf8', from, at))
        else {
          keep(bytes.subarray(from, at))
          flush()
        }
        from = at + 1
      }
      keep(bytes.subarray(from))
    },
    end() {
      if (kept > 0) flush()
    },
  }
}
