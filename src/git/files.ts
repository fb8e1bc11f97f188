// File work that must not be fooled by what an agent left behind: read-only files and directories, links that lead out
// of the tree, pipes that block a reader. Nothing here follows a symbolic link.
// Small files are handled synchronously: a call takes microseconds, and a trip through the thread pool ten times that.
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Text of a regular file of at most `limit` bytes; undefined when it is missing or anything else. */
export function readPlain(path: string, limit = 1 << 20): string | undefined {
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

export type Kind = 'missing' | 'directory' | 'file' | 'symlink' | 'other'

export function kindOf(path: string | Buffer): Kind {
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
export function fromHome(path: string): string {
  return path.replace(/^~(?=\/|$)/, process.env.HOME ?? '~')
}

/** The names in a directory; none when it is not there, or not a directory. */
export function namesIn(directory: string): string[] {
  return kindOf(directory) === 'directory' ? readdirSync(directory).sort() : []
}

/** Writes beside the file and renames, so that a reader or a kill never sees half of it. */
export function writeWhole(path: string, content: string, mode = 0o666): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = temporaryName(path)
  writeFileSync(draft, content, { mode })
  renameSync(draft, path)
}

/** A name beside `path` that nobody else takes. */
export function temporaryName(path: string): string {
  return `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`
}

/** Gives us back the right to read files and to change directories below `directory`. */
export function makeAccessible(directory: string): void {
  if (kindOf(directory) !== 'directory') return
  chmodSync(directory, lstatSync(directory).mode | 0o700)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) makeAccessible(path)
    else if (entry.isFile()) {
      const { mode } = lstatSync(path)
      if ((mode & 0o400) === 0) chmodSync(path, mode | 0o400)
    }
  }
}

/** Removes a file, a link itself, or a directory with all it holds. */
export async function removeAll(path: string): Promise<void> {
  if (kindOf(path) === 'missing') return
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    makeAccessible(path)
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  }
}
