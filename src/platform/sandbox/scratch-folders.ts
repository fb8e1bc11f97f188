// Folders that an agent could write into, made before it and gone after it. Whatever it left there, links and locked folders: nothing
// is followed, and nothing that lay there before is taken for new.
import { lstatSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeTree } from '../processes/remove-tree.ts'

const MAX_BYTES = 1 << 20

/** An empty folder; an error where what lies there can't be taken away. */
export async function recreateFolder(path: string): Promise<void> {
  await discardFolder(path)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await mkdir(path, { mode: 0o700 })
}

/** What can't be removed stays until the folder of its session goes. */
export async function discardFolder(path: string): Promise<void> {
  await removeTree(path).catch(() => undefined)
}

/** The text of a small file, and nothing where that is missing or anything else: a pipe would be waited for. */
export async function readSmallFile(file: string): Promise<string> {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found?.isFile() && found.size <= MAX_BYTES ? await readFile(file, 'utf8') : ''
}
