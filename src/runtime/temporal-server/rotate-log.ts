// Keeps a log that another process appends to from growing for ever: what is there moves to `.1`, the file starts again.
// The writer notices nothing, for it appends. Gap: lines written between the copy and the cut are lost.
import { copyFileSync, statSync, truncateSync } from 'node:fs'

const MAX_LOG_BYTES = 8 * 1024 * 1024

export function rotateLog(file: string, maxBytes: number = MAX_LOG_BYTES): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= maxBytes) return
  copyFileSync(file, `${file}.1`)
  truncateSync(file)
}
