// Folders that an agent could write into, made before it and gone after it. Whatever it left there, links and locked folders: nothing
// is followed, and nothing that lay there before is taken for new.
import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pauses } from '../processes/pausing.ts'

const MOST_BYTES = 1 << 20

/** An empty folder; an error where what lies there can't be taken away. */
export async function freshFolder(path: string): Promise<void> {
  await discard(path)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await mkdir(path, { mode: 0o700 })
}

/** What can't be removed stays until the folder of its session goes. */
export async function discard(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  await remove().catch(async () => {
    await unlock(path)
    await remove().catch(() => undefined)
  })
}

/** The text of a small file, and nothing where that is missing or anything else: a pipe would be waited for. */
export async function plainText(file: string): Promise<string> {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found?.isFile() && found.size <= MOST_BYTES ? await readFile(file, 'utf8') : ''
}

async function unlock(path: string, pause = pauses()): Promise<void> {
  try {
    if (!lstatSync(path).isDirectory()) return
    chmodSync(path, 0o700)
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      await pause()
      if (entry.isDirectory()) await unlock(join(path, entry.name), pause)
    }
  } catch {
    // Not there, or not ours: removing it says so.
  }
}
