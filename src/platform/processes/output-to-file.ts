// Writes a stream to its file as it comes and hands on its lines. Reading waits for the disk, and so does the process. Beyond a
// limit only the beginning and the end are kept; the rest is read and dropped, so a flood costs neither disk nor memory.
import type { FileHandle } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { createLineSplitter } from './line-splitter.ts'

export interface OutputLimits {
  readonly maxLineBytes?: number | undefined
  /** Limit for the beginning. Without it the whole output is kept. */
  readonly maxBytes?: number | undefined
  /** At this size `onFlood` is called, once. */
  readonly floodBytes?: number | undefined
}

export interface OutputSize {
  readonly bytes: number
  /** How many of those bytes are not in the file. */
  readonly cutBytes: number
}

const MAX_LINE_BYTES = 8 * 2 ** 20
/** How much is kept of the end of an output that is too long. */
const TAIL_BYTES = 2 ** 20

export async function writeOutputToFile(
  stream: Readable,
  handle: FileHandle,
  {
    maxLineBytes = MAX_LINE_BYTES,
    maxBytes = Number.POSITIVE_INFINITY,
    floodBytes = Number.POSITIVE_INFINITY,
  }: OutputLimits,
  onLine: (line: string) => void,
  onFlood: () => void = () => undefined,
): Promise<OutputSize> {
  const lines = createLineSplitter(maxLineBytes, onLine)
  const tail = createTail(TAIL_BYTES)
  let bytes = 0
  let kept = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const end = kept === bytes ? findHeadEnd(chunk, maxBytes - bytes) : 0
      if (bytes < floodBytes && bytes + chunk.length >= floodBytes) onFlood()
      bytes += chunk.length
      kept += end
      if (end > 0) {
        const beginning = chunk.subarray(0, end)
        await handle.appendFile(beginning)
        lines.push(beginning)
      }
      if (end < chunk.length) tail.push(chunk.subarray(end))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  const end = dropPartialLine(tail.bytes(), bytes - kept > TAIL_BYTES)
  const cut = bytes - kept - end.length
  if (cut === 0) {
    lines.push(end)
    lines.end()
    if (end.length > 0) await handle.appendFile(end)
    return { bytes, cutBytes: cut }
  }
  lines.end()
  const remark = `… ${cut} bytes left out …`
  onLine(remark)
  const after = createLineSplitter(maxLineBytes, onLine)
  after.push(end)
  after.end()
  await handle.appendFile(Buffer.concat([Buffer.from(`\n${remark}\n`), end]))
  return { bytes, cutBytes: cut }
}

/** How often streams on which something still happens are let be: somebody may print on them for ever. */
const MAX_BUSY_PAUSES = 30

/**
 * Closes streams whose writer has ended, once nothing has come on them for this long and nothing waits to be read. On a busy machine the
 * time may be over before what stands in the pipes was read at all, so each look lets the event loop read first.
 */
export function closeWhenQuiet(streams: readonly Readable[], quietMs: number): { readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let before = progress()
  wait(MAX_BUSY_PAUSES)
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }

  function wait(pauses: number): void {
    timer = setTimeout(() => setImmediate(look, pauses), quietMs)
  }

  function look(pauses: number): void {
    if (isStopped) return
    const now = progress()
    const isQuiet = now === before && streams.every(({ readableLength }) => readableLength === 0)
    before = now
    if (!isQuiet && pauses > 0) wait(pauses - 1)
    else for (const stream of streams) stream.destroy()
  }

  function progress(): string {
    return streams.map((stream) => `${(stream as Partial<Socket>).bytesRead} ${stream.readableEnded}`).join()
  }
}

/** How much of the chunk still fits, to the end of a character: that may lie up to three bytes behind the limit, or in the next chunk. */
function findHeadEnd(chunk: Buffer, room: number): number {
  let end = Math.min(Math.max(room, 0), chunk.length)
  while (end < Math.min(chunk.length, room + 3) && isWithinCharacter(chunk[end])) end += 1
  return end
}

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Keeps the last bytes that are pushed, in at most twice their memory. */
function createTail(most: number): { push(chunk: Buffer): void; bytes(): Buffer } {
  let parts: Buffer[] = []
  let held = 0
  const joined = (): Buffer => {
    const all = Buffer.concat(parts)
    return all.length > most ? all.subarray(all.length - most) : all
  }
  return {
    push(chunk) {
      parts.push(chunk)
      held += chunk.length
      if (held <= 2 * most) return
      // A copy, so that the buffers it was cut from can be freed.
      parts = [Buffer.from(joined())]
      held = most
    },
    bytes: joined,
  }
}

/** Drops the rest of the first line, or at least of its first character. */
function dropPartialLine(bytes: Buffer, isCut: boolean): Buffer {
  if (!isCut) return bytes
  const newline = bytes.indexOf(0x0a)
  if (newline !== -1 && newline < bytes.length - 1) return bytes.subarray(newline + 1)
  let start = 0
  while (start < 3 && isWithinCharacter(bytes[start])) start += 1
  return bytes.subarray(start)
}
