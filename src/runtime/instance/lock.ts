// The holder of a home's lock is its instance. SQLite's exclusive lock on an empty file is released by the kernel when its holder ends,
// so it is never stale. Gap: on a network file system without working locks, two instances could both hold it.
import { DatabaseSync } from 'node:sqlite'

export interface Lock {
  release(): void
}

/** Takes the lock; undefined if another process has it. */
export function takeLock(file: string): Lock | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    // No journal file is needed: nothing is ever written.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (/database is locked/.test((error as Error).message)) return undefined
    throw new Error(`The lock ${file} can't be taken: ${(error as Error).message}`)
  }
  return { release: () => database.close() }
}
