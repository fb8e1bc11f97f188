// File operations that survive what agents and checks leave behind: read-only entries, pipes, links that lead out, another user's files.
// Nothing here follows a symbolic link. Small files are handled synchronously: the thread pool takes ten times as long.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createYield, removeTree } from '../processes/remove-tree.ts'
import { temporaryPath } from '../processes/write-file-atomically.ts'

/** Text of a regular file of at most `limit` bytes; undefined when it is missing or anything else. */
export function readRegularFile(path: string, limit = 1 << 20): string | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const stats = fstatSync(file)
    return stats.isFile() && stats.size <= limit ? readFileSync(file, 'utf8') : undefined
  } finally {
    closeSync(file)
  }
}

export type PathKind = 'missing' | 'directory' | 'file' | 'symlink' | 'other'

export function getPathKind(path: string | Buffer): PathKind {
  let stats: ReturnType<typeof lstatSync>
  try {
    stats = lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return 'missing'
  }
  if (!stats) return 'missing'
  if (stats.isDirectory()) return 'directory'
  if (stats.isFile()) return 'file'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

/** Expands `~` to the home, as git does in its configuration. */
export function expandTilde(path: string): string {
  return path.replace(/^~(?=\/|$)/, process.env.HOME ?? '~')
}

/** The names in a directory; none when the path is missing or not a directory. */
export function listDirectory(directory: string): string[] {
  return getPathKind(directory) === 'directory' ? readdirSync(directory).sort() : []
}

/** Removes what dead processes left under a `temporaryPath`. A living process may still be writing its own. */
export async function removeStaleTemporaries(path: string): Promise<void> {
  const [parent, prefix] = [dirname(path), `${basename(path)}.`]
  for (const name of listDirectory(parent)) {
    if (!name.startsWith(prefix)) continue
    const left = join(parent, name)
    if (isOwnedByUs(left) && !isAlive(Number(name.slice(prefix.length).split('-')[0]))) await removePath(left)
  }
}

/** A shared folder, such as /tmp, also holds other users' entries. */
function isOwnedByUs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && (process.getuid === undefined || found.uid === process.getuid())
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether we may list and change the directory. If it is ours, its owner's rights are restored first. */
export function ensureDirectoryAccess(directory: string): boolean {
  if (getPathKind(directory) !== 'directory') return false
  try {
    const { mode } = lstatSync(directory)
    if ((mode & 0o700) !== 0o700) chmodSync(directory, mode | 0o700)
  } catch {
    // Another user's directory may still be open to us.
  }
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Restores our right to read files and to change directories below `directory`. Another user's entries stay as they are. */
export async function makeTreeAccessible(directory: string, pause = createYield()): Promise<void> {
  if (!ensureDirectoryAccess(directory)) return
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    await pause()
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await makeTreeAccessible(path, pause)
    else if (entry.isFile()) makeFileReadable(path)
  }
}

function makeFileReadable(path: string): void {
  const { mode } = lstatSync(path)
  if ((mode & 0o400) !== 0) return
  try {
    chmodSync(path, mode | 0o400)
  } catch {
    // A reader of the file reports the error.
  }
}

/** Removes a file, a link (not its target), or a directory with its content. */
export async function removePath(path: string): Promise<void> {
  if (getPathKind(path) !== 'missing') await removeTree(path)
}

/** Something that could not be removed: where it is now, and why. */
export interface UnremovedPath {
  readonly path: string
  readonly reason: string
}

/** Clears `path`. Content that can't be removed, such as another user's files, is moved into `aside`, a folder of ours. */
export async function clearPath(path: string, aside: string): Promise<UnremovedPath | undefined> {
  try {
    await removePath(path)
    return undefined
  } catch (error) {
    const left = temporaryPath(join(aside, 'left'))
    await rename(path, left)
    return { path: left, reason: describeFileError(error) }
  }
}

/** The message for people, cut: a path may have thousands of characters. */
export function describeFileError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300).toWellFormed()
}
