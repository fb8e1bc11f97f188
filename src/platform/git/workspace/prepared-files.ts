// Copies of what a setup made, beside the work tree, where an agent in the sandbox can't write. A seal of every file's inode and times
// shows any later change: nothing but root sets back when a file was changed.
import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createYield } from '../../processes/remove-tree.ts'
import { getPathKind, removePath } from '../unruly-files.ts'
import type { Workspace } from './object-store.ts'

export interface PreparedFiles {
  /** From the root of the work tree. */
  readonly paths: readonly string[]
  readonly seal: string
}

function preparedPath({ directory, sharedFrom = directory }: Workspace): string {
  return join(sharedFrom, 'prepared')
}

/** Copies these paths of the work tree, in the place of an earlier copy. */
export async function keepPreparedFiles(workspace: Workspace, paths: readonly string[]): Promise<PreparedFiles> {
  const folder = preparedPath(workspace)
  await removePath(folder)
  mkdirSync(folder, { mode: 0o700 })
  await copyPaths(workspace.tree, folder, paths)
  return { paths, seal: await sealFolder(folder) }
}

/** Copies them into the place of the work tree. Returns false, and copies nothing, if one was changed since. */
export async function placePreparedFiles(workspace: Workspace, { paths, seal }: PreparedFiles): Promise<boolean> {
  const folder = preparedPath(workspace)
  if (getPathKind(folder) !== 'directory' || (await sealFolder(folder)) !== seal) return false
  await copyPaths(folder, workspace.tree, paths)
  return true
}

/** Copies a folder to a place where nothing is, and returns the copy's seal. */
export async function copySealed(from: string, to: string): Promise<string> {
  await copyEntry(from, to, createYield())
  return await sealFolder(to)
}

/** Copies a sealed folder. Returns false, and copies nothing, if it was changed since. */
export async function placeSealed(from: string, seal: string, to: string): Promise<boolean> {
  if (getPathKind(from) !== 'directory' || (await sealFolder(from)) !== seal) return false
  await copyEntry(from, to, createYield())
  return true
}

export async function dropPreparedFiles(workspace: Workspace): Promise<void> {
  await removePath(preparedPath(workspace))
}

async function copyPaths(from: string, to: string, paths: readonly string[]): Promise<void> {
  const pause = createYield()
  for (const path of paths.map((each) => each.replace(/\/$/, ''))) {
    await removePath(join(to, path))
    mkdirSync(dirname(join(to, path)), { recursive: true })
    await copyEntry(join(from, path), join(to, path), pause)
  }
}

/** Hard links would let a command that writes into its copy change the others. */
async function copyEntry(from: string, to: string, pause: () => Promise<void>): Promise<void> {
  await pause()
  const stats = lstatSync(from)
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else if (stats.isFile()) {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    utimesSync(to, stats.atime, stats.mtime)
  } else if (stats.isDirectory()) {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(from)) await copyEntry(join(from, name), join(to, name), pause)
    chmodSync(to, stats.mode)
    utimesSync(to, stats.atime, stats.mtime)
  } else throw new Error(`${from} is neither a file nor a folder nor a link`)
}

async function sealFolder(folder: string): Promise<string> {
  const pause = createYield()
  const hash = createHash('sha256')
  async function add(path: string): Promise<void> {
    await pause()
    const stats = lstatSync(path, { bigint: true })
    hash.update(`${path.slice(folder.length)}\0${describeState(stats)}\0`)
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) await add(join(path, name))
  }
  await add(folder)
  return hash.digest('hex')
}

function describeState({ ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, mode, size, mtimeNs, ctimeNs].join(' ')
}
