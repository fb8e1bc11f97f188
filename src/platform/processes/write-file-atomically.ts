import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readers see the old content or the new, never a part. Drafts that a killed process left are found by the name of `temporaryPath`. */
export function writeFileAtomically(path: string, content: string, mode = 0o666): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = temporaryPath(path)
  writeFileSync(draft, content, { mode })
  renameSync(draft, path)
}

/** A name beside `path` that nobody else takes. */
export function temporaryPath(path: string): string {
  return `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`
}
