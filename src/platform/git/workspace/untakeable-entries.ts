// Removes from a work tree what would hold git up: FIFOs and devices that git would open, files that it would read for minutes, names that
// it refuses. Tracked files come back from the index. Nothing here reads a file's content.
// Gap: a `.git` file or link that leads to a FIFO outside of the tree. The git that opens it is ended by a cancellation only.
import { type Dirent, lstatSync, type Stats, statSync, unlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { createYield } from '../../processes/remove-tree.ts'
import { runTool } from '../../processes/run-tool.ts'
import { decodeRawPath, type GitOptions, joinRawPath, splitRawFields } from '../git.ts'
import { listSmallTree } from '../list-small-tree.ts'
import { getPathKind, makeTreeAccessible } from '../unruly-files.ts'
import type { Workspace } from './object-store.ts'
import { runWorkTreeGit, runWorkTreeGitRetrying } from './workspace.ts'

export interface RemovedEntry {
  readonly path: string
  readonly why: string
}

export interface FoundFile {
  readonly path: string
  readonly bytes: number
  /** Beyond those of the tracked version. */
  readonly addedBytes: number
}

/** Why git must not take a file; undefined if it may. It is asked once about each changed or new file. */
export type FindRefusal = (file: FoundFile) => string | undefined

/** Removes what would hold up any git command in the tree. Must run before git, whenever others had the tree. */
export async function removeBlockers(workspace: Workspace, call: GitOptions = {}): Promise<RemovedEntry[]> {
  return await removeEntries(workspace, await findBlockers(workspace), call)
}

/** The same, and removes all changed and new files that git can't take, or that have a reason against them. */
export async function removeUntakeable(workspace: Workspace, findRefusal: FindRefusal): Promise<RemovedEntry[]> {
  if (getPathKind(workspace.tree) !== 'directory') return []
  const blockers = await removeBlockers(workspace)
  return [...blockers, ...(await removeEntries(workspace, await findRefusedFiles(workspace, findRefusal)))]
}

/** Its path in latin1, one character a byte. */
interface RawEntry {
  readonly raw: string
  readonly why: string
}

/** Git reads these in every folder that it enters. */
const RULE_FILES = ['.gitignore', '.gitattributes']
const MAX_RULE_FILE_KIB = 1024
const FIND_TIMEOUT_MS = 30_000

const TOO_LARGE = ['-type', 'f', '-size', `+${2 * MAX_RULE_FILE_KIB}`]
const SUSPECTS = [
  ...['-type', 'p', '-o', '-type', 'b', '-o', '-type', 'c'],
  ...['-o', '-type', 'l', '-path', '*/.git/*'],
  ...RULE_FILES.flatMap((name) => ['-o', '-name', name, ...TOO_LARGE]),
]

/** Rule files and files of git directories that are no files, and rule files that are too large. */
async function findBlockers(workspace: Workspace): Promise<RawEntry[]> {
  if (getPathKind(workspace.tree) !== 'directory') return []
  const suspects = walkForSuspects(workspace) ?? (await findSuspects(workspace))
  return suspects.flatMap((raw) => describeBlocker(workspace, raw) ?? [])
}

/** What `find` would list. Undefined where `find` is faster. */
function walkForSuspects({ tree }: Workspace): string[] | undefined {
  const suspects = listSmallTree(tree)?.filter(({ raw, entry }) => isSuspect(tree, raw, entry))
  return suspects?.map(({ raw }) => raw)
}

function isSuspect(tree: string, raw: string, entry: Dirent): boolean {
  if (entry.isFIFO() || entry.isBlockDevice() || entry.isCharacterDevice()) return true
  if (entry.isSymbolicLink()) return `/${raw}`.includes('/.git/')
  if (!entry.isFile() || !RULE_FILES.includes(entry.name)) return false
  const size = tryStat(joinRawPath(tree, raw), lstatSync)?.size ?? 0
  return size > MAX_RULE_FILE_KIB * 1024
}

async function findSuspects(workspace: Workspace, isSecondTry = false): Promise<string[]> {
  const { tree } = workspace
  const options = { env: { PATH: process.env.PATH }, timeoutMs: FIND_TIMEOUT_MS, encoding: 'latin1' } as const
  const { stdout, failure, code } = await runTool('find', [tree, '(', ...SUSPECTS, ')', '-print0'], options)
  if (code === undefined) throw new Error(`the files of ${tree} can't be listed: ${failure}`)
  if (code !== 0 && !isSecondTry) {
    // A folder that its owner may not enter hides what is in it until somebody restores that right.
    await makeTreeAccessible(tree)
    return await findSuspects(workspace, true)
  }
  const root = Buffer.from(tree).toString('latin1').length + 1
  return splitRawFields(Buffer.from(stdout, 'latin1')).map((path) => path.slice(root))
}

function describeBlocker(workspace: Workspace, raw: string): RawEntry | undefined {
  const isRuleFile = RULE_FILES.includes(basename(raw))
  if (!isRuleFile && !raw.split('/').slice(0, -1).includes('.git')) return undefined
  const stats = tryStat(joinRawPath(workspace.tree, raw), statSync)
  if (stats?.isFIFO() || stats?.isBlockDevice() || stats?.isCharacterDevice()) return { raw, why: describeKind(stats) }
  return isRuleFile && stats?.isFile() ? { raw, why: `larger than ${MAX_RULE_FILE_KIB / 1024} MiB` } : undefined
}

function describeKind(stats: Stats): string {
  if (stats.isFIFO()) return 'a FIFO'
  return stats.isSocket() ? 'a socket' : 'a device'
}

/** Undefined for nothing, a link to nothing or in a circle, and a path that is longer than the system takes from us. */
function tryStat(path: Buffer, stat: typeof statSync): Stats | undefined {
  try {
    return stat(path)
  } catch {
    return undefined
  }
}

async function findRefusedFiles(workspace: Workspace, findRefusal: FindRefusal): Promise<RawEntry[]> {
  const args = ['ls-files', '--others', '--modified', '--exclude-standard', '-z']
  const { stdout } = await runWorkTreeGitRetrying(workspace, args)
  const refused: RawEntry[] = []
  const pause = createYield()
  for (const raw of new Set(splitRawFields(stdout))) {
    await pause()
    const stats = tryStat(joinRawPath(workspace.tree, raw), lstatSync)
    if (!stats || stats.isDirectory()) continue
    if (!stats.isFile() && !stats.isSymbolicLink()) {
      refused.push({ raw, why: describeKind(stats) })
      continue
    }
    const bytesBefore = stats.size > MIN_COMPARED_BYTES ? await readTrackedSize(workspace, raw) : 0
    const addedBytes = Math.max(stats.size - bytesBefore, 0)
    const why = findRefusal({ path: decodeRawPath(raw), bytes: stats.size, addedBytes })
    if (why !== undefined) refused.push({ raw, why })
  }
  return refused
}

/** A smaller file is not worth the command that tells the size of its tracked version. */
const MIN_COMPARED_BYTES = 1 << 20

/** 0 if the index lacks it. */
async function readTrackedSize(workspace: Workspace, raw: string): Promise<number> {
  const input = Buffer.from(`:0:${raw}\0`, 'latin1')
  const { stdout } = await runWorkTreeGit(workspace, ['cat-file', '--batch-check=%(objectsize)', '-z'], { input })
  return Number.parseInt(stdout.toString(), 10) || 0
}

async function removeEntries(
  workspace: Workspace,
  entries: readonly RawEntry[],
  call: GitOptions = {},
): Promise<RemovedEntry[]> {
  if (entries.length === 0) return []
  await removeFiles(
    workspace,
    entries.map(({ raw }) => joinRawPath(workspace.tree, raw)),
  )
  // A path that the index lacks is an error, which stops none of the others.
  const restored = { ...call, input: joinRaw(entries.map(({ raw }) => raw)), accept: [1, 128] }
  await runWorkTreeGit(workspace, ['checkout-index', '-q', '-f', '-u', '-z', '--stdin'], restored)
  return entries.map(({ raw, why }) => ({ path: decodeRawPath(raw), why }))
}

async function removeFiles({ tree }: Workspace, files: readonly Buffer[]): Promise<void> {
  try {
    for (const file of files) unlinkSync(file)
  } catch {
    await makeTreeAccessible(tree)
    for (const file of files) if (lstatSync(file, { throwIfNoEntry: false })) unlinkSync(file)
  }
}

function joinRaw(paths: readonly string[]): Buffer {
  return Buffer.from(`${paths.join('\0')}\0`, 'latin1')
}
