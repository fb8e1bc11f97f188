// File work that must not be fooled by what an agent left behind: read-only files and directories, links that lead out
// of the tree, pipes that block a reader; nor stopped by what a check left there as another user. Nothing here follows a symbolic link.
// Small files are handled synchronously: a call takes microseconds, and a trip through the thread pool ten times that.
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

/** A path as git's configuration has it, where `~` is the home. */
export function expandTilde(path: string): string {
  return path.replace(/^~(?=\/|$)/, process.env.HOME ?? '~')
}

/** The names in a directory; none when it is not there, or not a directory. */
export function listDirectory(directory: string): string[] {
  return getPathKind(directory) === 'directory' ? readdirSync(directory).sort() : []
}

/** Removes what was made under a `temporaryPath` by processes that are gone. What a living one made may still be in the making. */
export async function removeStaleTemporaries(path: string): Promise<void> {
  const [parent, prefix] = [dirname(path), `${basename(path)}.`]
  for (const name of listDirectory(parent)) {
    if (!name.startsWith(prefix)) continue
    const left = join(parent, name)
    if (isOwnedByUs(left) && !isAlive(Number(name.slice(prefix.length).split('-')[0]))) await removePath(left)
  }
}

/** In a folder that others use, too, not everything is. */
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

/** Whether it is a directory that we may list and change; one that is ours we give ourselves back the right to. */
export function ensureDirectoryAccess(directory: string): boolean {
  if (getPathKind(directory) !== 'directory') return false
  try {
    const { mode } = lstatSync(directory)
    if ((mode & 0o700) !== 0o700) chmodSync(directory, mode | 0o700)
  } catch {
    // Another user's may be open to us all the same.
  }
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Gives us back the right to read files and to change directories below `directory`. An agent may have left any number of them. What
 * is another user's stays as it is.
 */
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
    // Who needs to read it will say so.
  }
}

/** Removes a file, a link itself, or a directory with all it holds. */
export async function removePath(path: string): Promise<void> {
  if (getPathKind(path) !== 'missing') await removeTree(path)
}

/** What could not be removed: where it lies, and why. */
export interface Leftover {
  readonly path: string
  readonly reason: string
}

/** Has nothing lie at `path`. What of it can't be removed, such as files of another user, is moved into `aside`, a folder of ours. */
export async function clearPath(path: string, aside: string): Promise<Leftover | undefined> {
  try {
    await removePath(path)
    return undefined
  } catch (error) {
    const left = temporaryPath(join(aside, 'left'))
    await rename(path, left)
    return { path: left, reason: describeFileError(error) }
  }
}

/** One line for people: a path may have thousands of characters. */
export function describeFileError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300).toWellFormed()
}
