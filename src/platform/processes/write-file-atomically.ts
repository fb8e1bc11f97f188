import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Readers see the old content or the new, never a part. Drafts that a killed process left are found by the name of `temporaryPath`. */
export function writeFileAtomically(path: string, content: string | Uint8Array, mode = 0o666): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = temporaryPath(path)
  writeFileSync(draft, content, { mode })
  renameSync(draft, path)
}

/** A name beside `path` that nobody else takes. */
export function temporaryPath(path: string): string {
  return `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`
}

/** Removes the drafts of files that dead processes left in a folder. A living process may still be writing its own. */
export function removeStaleDrafts(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const pid = Number(/\.(\d+)-[a-z\d]+$/.exec(entry.name)?.[1])
    if (entry.isFile() && pid > 0 && !isAlive(pid)) rmSync(join(folder, entry.name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
