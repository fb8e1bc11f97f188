// `resetWorkTree` makes the work tree match a commit; `createSnapshot` makes a commit of the work tree, under a private ref.
// A repository that an agent made inside the tree is in no snapshot (detect-git-use.ts reports it), and a reset removes it.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { askObjects } from '../ask-objects.ts'
import { rememberTree } from '../compare-trees.ts'
import {
  decodeRawPath,
  FIXWRIGHT_IDENTITY,
  GitError,
  type GitOptions,
  joinRawPath,
  splitFields,
  splitRawFields,
} from '../git.ts'
import { listSmallTree } from '../list-small-tree.ts'
import { recallObject, rememberObject } from '../object-memory.ts'
import { listTreeEntries, SUBMODULE_MODE } from '../repository/list-tree.ts'
import { clearPath, getPathKind, removePath } from '../unruly-files.ts'
import { type CommitRequest, commitTree } from './commits.ts'
import { buildDecoy } from './decoy-git-dir.ts'
import { fillWorkTree } from './fill-tree.ts'
import { findRepositoriesAroundFiles } from './nested-repositories.ts'
import { appendExcludeRules, readRef, type Workspace, writeRef } from './object-store.ts'
import { removeBlockers } from './untakeable-entries.ts'
import { putWorkTreeBack } from './work-tree-aside.ts'
import { runWorkspaceGitText, runWorkTreeGit, runWorkTreeGitRetrying } from './workspace.ts'

export interface ResetOptions {
  /** The commit that agents find as HEAD. Default: the target if it is a commit, else the base. */
  readonly head?: string
}

/** Makes the work tree match the target, ignored files apart, and gives the agent a new decoy. */
export async function resetWorkTree(workspace: Workspace, target: string, options: ResetOptions = {}): Promise<void> {
  await putWorkTreeBack(workspace)
  const clear = async () => void (await clearPath(workspace.tree, workspace.directory))
  const [head] = await Promise.all([
    options.head ?? resolveCommitOrBase(workspace, target),
    fillWorkTree(workspace, target, { clear }),
  ])
  writeRef(workspace.gitDir, `refs/heads/${workspace.branch}`, head)
  if (await mayHoldUntracked(workspace, target)) await cleanWorkTree(workspace)
  const repositories = await findRepositoriesAroundFiles(workspace, target)
  for (const folder of repositories) await removePath(join(workspace.tree, folder, '.git'))
  await buildDecoy(workspace)
}

async function resolveCommitOrBase(workspace: Workspace, target: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${target}^{commit}`]
  return (await runWorkspaceGitText(workspace, args, { accept: [1, 128] })) || workspace.base
}

/** Whether there is anything that the checked-out tree lacks. A large tree may always hold something. */
async function mayHoldUntracked(workspace: Workspace, checkedOut: string): Promise<boolean> {
  const items = listSmallTree(workspace.tree)
  if (items === undefined) return true
  const tracked = new Set<string>()
  for (const { path } of await listTreeEntries(workspace.gitDir, checkedOut)) {
    for (let at = path; !tracked.has(at); at = dirname(at)) tracked.add(at)
  }
  return items.some(({ raw }) => {
    const path = decodeRawPath(raw)
    // A path that is not UTF-8 may look like another.
    return path.includes('\ufffd') || !(tracked.has(path) || path === '.git' || path.startsWith('.git/'))
  })
}

/** Files that can't be removed, because a check made them as another user, are ignored from now on, so no snapshot has them. */
async function cleanWorkTree(workspace: Workspace): Promise<void> {
  try {
    await removeUntracked(workspace)
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== NOT_ALL_REMOVED) throw error
    await removeUntracked(workspace, { accept: [NOT_ALL_REMOVED] })
    ignorePaths(workspace, await listUntracked(workspace), [])
  }
}

const NOT_ALL_REMOVED = 1

// `-ff` removes repositories inside the tree too. The loop is for files that an untracked .gitignore hid until it was removed.
async function removeUntracked(workspace: Workspace, call: GitOptions = {}): Promise<void> {
  let removed: string
  do removed = (await runWorkTreeGitRetrying(workspace, ['clean', '-ffd'], call)).stdout.toString()
  while (/\.gitignore"?$/m.test(removed))
}

export interface SnapshotRequest {
  /** The end of its ref, `refs/fixwright/<name>`. */
  readonly name: string
  readonly parent: string
  /** The commit's message, or a function that makes it from the new tree's hash. */
  readonly message: string | ((tree: string) => Promise<string>)
  readonly at: Date
}

export interface Snapshot {
  readonly commit: string
  readonly parent: string
  readonly tree: string
  readonly message: string
}

/** Records the work tree, ignored files apart. The work tree itself is not touched. */
export async function createSnapshot(workspace: Workspace, request: SnapshotRequest): Promise<Snapshot> {
  const { name, parent, message: note, at } = request
  snapshotRef(name)
  if (getPathKind(workspace.tree) !== 'directory') {
    throw new Error(`${workspace.tree} was removed or replaced: reset the workspace`)
  }
  await addAllToIndex(workspace, parent)
  const tree = await runWorkspaceGitText(workspace, ['write-tree'])
  rememberTree(workspace, tree, tree)
  const message = typeof note === 'string' ? note : await note(tree)
  return await saveCommit(workspace, name, { tree, parent, message, author: FIXWRIGHT_IDENTITY, at })
}

/** Makes a commit under a name. The name finds it again even if the next attempt would give it another message. */
export async function saveCommit(workspace: Workspace, name: string, request: CommitRequest): Promise<Snapshot> {
  const ref = snapshotRef(name)
  const commit = await commitTree(workspace, request)
  writeRef(workspace.gitDir, ref, commit)
  return { commit, parent: request.parent, tree: request.tree, message: request.message }
}

export async function readSnapshot(workspace: Workspace, name: string): Promise<Snapshot | undefined> {
  const commit = readRef(workspace.gitDir, snapshotRef(name))
  if (commit === undefined) return undefined
  const text = await readCommitText(workspace, commit)
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const note = lines.slice(lines.indexOf('') + 1).join('\n')
  const parent = lines[1]?.replace('parent ', '') ?? ''
  const tree = lines[0]!.replace('tree ', '')
  rememberTree(workspace, commit, tree)
  return { commit, parent, tree, message: note.trimEnd() }
}

/** Undefined after a power cut: the ref may be there without its commit, or with a broken one. */
async function readCommitText({ gitDir }: Workspace, commit: string): Promise<string | undefined> {
  const key = [gitDir, 'commit', commit].join('\0')
  const known = recallObject(key)
  if (known) return known.toString()
  const [found] = await askObjects(gitDir, [['contents', commit]]).catch((error: unknown) => {
    if (error instanceof GitError) return []
    throw error
  })
  if (found?.content) rememberObject(key, found.content)
  return found?.content?.toString()
}

function snapshotRef(name: string): string {
  if (/^[\w-]+(\.[\w-]+)*(\/[\w-]+(\.[\w-]+)*)*$/.test(name)) return `refs/fixwright/${name}`
  throw new Error(`"${name}" can't name a snapshot: use letters, digits, "-", "_", single dots and "/" between them`)
}

// `git add` takes a repository inside the tree for a submodule, and fails on one without commits. Both are rare, so the plain command
// runs first, and its messages decide what follows.
async function addAllToIndex(workspace: Workspace, parent: string): Promise<void> {
  const occupied = await findOccupiedSubmodules(workspace)
  if (occupied.length === 0) {
    try {
      const { stderr } = await runWorkTreeGitRetrying(workspace, ['add', '--all'])
      if (!NESTED_REPOSITORY_MESSAGE.test(stderr)) return
    } catch (error) {
      if (!(error instanceof GitError) || !NESTED_REPOSITORY_MESSAGE.test(error.stderr)) throw error
    }
    await removeNestedFromIndex(workspace, parent)
  }
  const listed = await runWorkTreeGit(workspace, ['ls-files', '--others', '--exclude-standard', '-z'])
  const embedded = splitRawFields(listed.stdout).flatMap((path) => (path.endsWith('/') ? path.slice(0, -1) : []))
  const pathspecs = ['.', ...[...embedded, ...occupied].map((path) => `:(top,literal,exclude)${path}`)]
  await runWorkTreeGit(workspace, ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    input: Buffer.from(pathspecs.join('\0'), 'latin1'),
    env: { GIT_LITERAL_PATHSPECS: '0' },
  })
}

/**
 * Submodules whose folder holds a repository now. `add` would run git inside it, and that git obeys the repository's configuration and
 * runs its filters: an agent in the tree could run a command outside of its sandbox.
 */
async function findOccupiedSubmodules(workspace: Workspace): Promise<string[]> {
  // An index without the bytes of the mode holds no submodule, and hardly any does.
  const index = join(workspace.gitDir, 'index')
  if (!existsSync(index) || !readFileSync(index).includes(SUBMODULE_MODE_BYTES)) return []
  const { stdout } = await runWorkTreeGit(workspace, ['ls-files', '--stage', '-z'])
  const paths = splitRawFields(stdout).flatMap((line) =>
    line.startsWith(SUBMODULE_PREFIX) ? line.slice(line.indexOf('\t') + 1) : [],
  )
  return paths.filter((path) => getPathKind(joinRawPath(workspace.tree, `${path}/.git`)) !== 'missing')
}

/** Every version of the index has an entry's mode in 32 bits. */
const SUBMODULE_MODE_BYTES = Buffer.from([0, 0, 0xe0, 0])
const SUBMODULE_PREFIX = `${SUBMODULE_MODE} `
const NEW_SUBMODULE = new RegExp(`^:(?!${SUBMODULE_MODE})\\d{6} ${SUBMODULE_MODE}`)
const NESTED_REPOSITORY_MESSAGE = /adding embedded git repository|does not have a commit checked out/

async function removeNestedFromIndex(workspace: Workspace, parent: string): Promise<void> {
  const { stdout } = await runWorkTreeGit(workspace, ['diff-index', '--cached', '-z', '--no-renames', parent])
  const entries = splitRawFields(stdout)
  const added = entries.filter((_, index) => NEW_SUBMODULE.test(entries[index - 1] ?? ''))
  if (added.length === 0) return
  const input = Buffer.from(`${added.join('\0')}\0`, 'latin1')
  await runWorkTreeGit(workspace, ['update-index', '--force-remove', '-z', '--stdin'], { input })
}

/** Untracked files and folders, ignored ones apart. A folder ends in a slash. */
export async function listUntracked(workspace: Workspace): Promise<string[]> {
  return await listOthers(workspace)
}

/** Tracked files that differ from the index. */
export async function listModified(workspace: Workspace, call: GitOptions = {}): Promise<string[]> {
  const args = [
    'diff',
    '--name-only',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--ignore-submodules=all',
    '-z',
  ]
  await removeBlockers(workspace, call)
  return splitFields((await runWorkTreeGitRetrying(workspace, args, call)).stdout)
}

/** What a call that may only read has changed nevertheless: tracked files, and new ones that aren't ignored. */
export async function listTreeChanges(workspace: Workspace): Promise<string[]> {
  return [...(await listModified(workspace)), ...(await listUntracked(workspace))]
}

/** Ignored files and folders. A folder ends in a slash. */
export async function listIgnored(workspace: Workspace): Promise<string[]> {
  return await listOthers(workspace, '--ignored')
}

async function listOthers(workspace: Workspace, ...more: readonly string[]): Promise<string[]> {
  await removeBlockers(workspace)
  const args = ['ls-files', '--others', ...more, '--exclude-standard', '--directory', '--no-empty-directory', '-z']
  return splitFields((await runWorkTreeGit(workspace, args)).stdout)
}

/** Keeps these paths, except those in `keep`, out of all later snapshots. Returns the paths that are ignored from now on. */
export function ignorePaths(workspace: Workspace, paths: readonly string[], keep: readonly string[]): string[] {
  const hidden = paths.filter(
    (path) => !keep.some((file) => file === path || (path.endsWith('/') && file.startsWith(path))),
  )
  if (hidden.length === 0) return []
  const patterns = hidden
    .filter((path) => !path.includes('\n'))
    .map((path) => `/${path.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}`)
  appendExcludeRules(workspace.gitDir, patterns)
  return hidden
}
