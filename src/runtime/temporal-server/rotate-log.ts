// Limits a log that another process appends to: its content is copied to `.1`, and the file is cut to nothing under its writer.
// Gap: lines written between the copy and the cut are lost.
import { copyFileSync, statSync, truncateSync } from 'node:fs'

const MAX_LOG_BYTES = 8 * 1024 * 1024

export function rotateLog(file: string, maxBytes: number = MAX_LOG_BYTES): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= maxBytes) return
  copyFileSync(file, `${file}.1`)
  truncateSync(file)
}
