// Folders that an agent may write into, made before its call and removed after it. Links in them are never followed, locked
// folders are removed, and nothing that lay there before is taken for new.
import { lstatSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeTree } from '../processes/remove-tree.ts'

const MAX_BYTES = 1 << 20

/** Makes an empty folder. Throws if the old content can't be removed. */
export async function recreateFolder(path: string): Promise<void> {
  await discardFolder(path)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await mkdir(path, { mode: 0o700 })
}

/** Anything that can't be removed stays until the session's folder is removed. */
export async function discardFolder(path: string): Promise<void> {
  await removeTree(path).catch(() => undefined)
}

/** The text of a small file, or '' for anything else: reading a pipe would wait for ever. */
export async function readSmallFile(file: string): Promise<string> {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found?.isFile() && found.size <= MAX_BYTES ? await readFile(file, 'utf8') : ''
}
