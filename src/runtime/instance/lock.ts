// The one lock of a home: whoever holds it is the instance. It is SQLite's exclusive lock on an empty file, so the kernel
// lets it go the moment its holder is gone, however it went; there is no stale lock to judge.
// Gap: on a network file system without working locks two instances could both believe that they hold it.
import { DatabaseSync } from 'node:sqlite'

export interface Lock {
  release(): void
}

/** Takes the lock, or answers undefined when somebody has it. */
export function takeLock(file: string): Lock | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    // Without a journal file: nothing is ever written that would have to be taken back.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (/database is locked/.test((error as Error).message)) return undefined
    throw new Error(`The lock ${file} can't be taken: ${(error as Error).message}`)
  }
  return { release: () => database.close() }
}
