// Cuts a stream of bytes into lines. Cutting is done on bytes, so that a character split between two chunks is whole again before
// it is read. A line longer than the limit is passed on cut, at a character; the file it was spilled to has it whole.

const NEWLINE = 0x0a

export interface LineSplitter {
  push(chunk: Uint8Array): void
  /** The last line may lack its newline. */
  end(): void
}

export function lineSplitter(maxBytes: number, onLine: (line: string) => void): LineSplitter {
  let parts: Uint8Array[] = []
  let kept = 0

  function keep(part: Uint8Array): void {
    const room = maxBytes - kept
    if (room <= 0 || part.length === 0) return
    const fitting = part.length > room ? part.subarray(0, room) : part
    parts.push(fitting)
    kept += fitting.length
  }

  function flush(): void {
    const cut = kept === maxBytes
    // A decoder that expects more keeps an unfinished character to itself: what a cut leaves of one is dropped.
    const line = new TextDecoder('utf-8', { ignoreBOM: false }).decode(Buffer.concat(parts), { stream: cut })
    parts = []
    kept = 0
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }

  return {
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at))
        flush()
        from = at + 1
      }
      keep(chunk.subarray(from))
    },
    end() {
      if (kept > 0) flush()
    },
  }
}
