// The two directions between the work tree and commits: `resetTo` makes the tree what a commit says, `snapshot` makes a
// commit of what the tree holds. A snapshot is kept under a private ref; the person's repository never sees it.
// A repository that an agent made inside the tree is in no snapshot (traces.ts reports it) and is removed by a reset.
import { join } from 'node:path'
import { kindOf, makeWay, removeAll } from '../files.ts'
import { FIXWRIGHT, fields, type GitCall, GitError, rawFields } from '../git.ts'
import { type CommitRequest, commitTree } from './commits.ts'
import { buildDecoy } from './decoy-git-dir.ts'
import { fillTree } from './fill-tree.ts'
import { embeddedRepositories } from './nested-repositories.ts'
import { exclude, type Workspace, writeRef } from './object-store.ts'
import { ownGit, ownGitText, treeGit, treeGitFirmly } from './workspace.ts'

export interface ResetOptions {
  /** The commit that agents find as their HEAD: by default the target if it is a commit, else the base. */
  readonly head?: string
  readonly signal?: AbortSignal
}

/** Makes the work tree exactly that tree, ignored files apart, and gives the agent a new decoy. */
export async function resetTo(workspace: Workspace, target: string, options: ResetOptions = {}): Promise<void> {
  const { signal } = options
  const clear = async () => void (await makeWay(workspace.tree, workspace.directory))
  const [head] = await Promise.all([
    options.head ?? commitOf(workspace, target),
    fillTree(workspace, target, { signal, clear }),
  ])
  writeRef(workspace.gitDir, `refs/heads/${workspace.branch}`, head)
  const [repositories] = await Promise.all([embeddedRepositories(workspace, 'tracked'), clean(workspace, { signal })])
  for (const folder of repositories) await removeAll(join(workspace.tree, folder, '.git'))
  await buildDecoy(workspace)
}

async function commitOf(workspace: Workspace, target: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${target}^{commit}`]
  return (await ownGitText(workspace, args, { accept: [1, 128] })) || workspace.base
}

/** What may not be removed, for a check made it as another user, stays as a by-product of that check: in no snapshot. */
async function clean(workspace: Workspace, call: GitCall): Promise<void> {
  try {
    await removeUntracked(workspace, call)
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== NOT_ALL_REMOVED) throw error
    await removeUntracked(workspace, { ...call, accept: [NOT_ALL_REMOVED] })
    ignorePaths(workspace, await untrackedIn(workspace), [])
  }
}

const NOT_ALL_REMOVED = 1

// Twice the force, so that repositories inside the tree go too. A file that an untracked .gitignore hid shows only after
// that one is gone, hence the loop.
async function removeUntracked(workspace: Workspace, call: GitCall): Promise<void> {
  let removed: string
  do removed = (await treeGitFirmly(workspace, ['clean', '-ffd'], call)).stdout.toString()
  while (/\.gitignore"?$/m.test(removed))
}

export interface SnapshotRequest {
  /** The last part of its ref, `refs/fixwright/<name>`. */
  readonly name: string
  readonly parent: string
  /** Kept with it, as the commit's message; may be made from what the tree turned out to be. */
  readonly note: string | ((tree: string) => Promise<string>)
  readonly at: Date
  readonly signal?: AbortSignal
}

export interface Snapshot {
  readonly commit: string
  readonly parent: string
  readonly tree: string
  readonly note: string
}

/** Records the work tree as it is, ignored files apart. The tree itself is not touched. */
export async function snapshot(workspace: Workspace, request: SnapshotRequest): Promise<Snapshot> {
  const { name, parent, note, at, signal } = request
  snapshotRef(name)
  if (kindOf(workspace.tree) !== 'directory') {
    throw new Error(`${workspace.tree} was removed or replaced: reset the workspace`)
  }
  await stageAll(workspace, parent, { signal })
  const tree = await ownGitText(workspace, ['write-tree'])
  const message = typeof note === 'string' ? note : await note(tree)
  return await keepCommit(workspace, name, { tree, parent, message, author: FIXWRIGHT, at })
}

/** Makes a commit that is found again under a name, also where it is made from other words the next time. */
export async function keepCommit(workspace: Workspace, name: string, request: CommitRequest): Promise<Snapshot> {
  const ref = snapshotRef(name)
  const commit = await commitTree(workspace, request)
  writeRef(workspace.gitDir, ref, commit)
  return { commit, parent: request.parent, tree: request.tree, note: request.message }
}

/** A snapshot, or another commit, that was kept under a name. */
export async function readSnapshot(workspace: Workspace, name: string): Promise<Snapshot | undefined> {
  const { stdout } = await ownGit(workspace, ['cat-file', '--batch'], { input: `${snapshotRef(name)}\n` })
  const [header, ...lines] = stdout.toString().split('\n')
  const commit = /^([0-9a-f]+) commit /.exec(header ?? '')?.[1]
  if (!commit) return undefined
  const note = lines.slice(lines.indexOf('') + 1).join('\n')
  const parent = lines[1]?.replace('parent ', '') ?? ''
  return { commit, parent, tree: lines[0]!.replace('tree ', ''), note: note.trimEnd() }
}

function snapshotRef(name: string): string {
  if (/^[\w-]+(\.[\w-]+)*(\/[\w-]+(\.[\w-]+)*)*$/.test(name)) return `refs/fixwright/${name}`
  throw new Error(`"${name}" can't name a snapshot: use letters, digits, "-", "_", single dots and "/" between them`)
}

// `git add` takes a repository inside the tree for a submodule, and fails on one without commits. Both are rare, so the
// plain command goes first and what it says decides.
async function stageAll(workspace: Workspace, parent: string, call: GitCall): Promise<void> {
  const occupied = await occupiedSubmodules(workspace, call)
  if (occupied.length === 0) {
    try {
      const { stderr } = await treeGitFirmly(workspace, ['add', '--all'], call)
      if (!EMBEDDED.test(stderr)) return
    } catch (error) {
      if (!(error instanceof GitError) || !EMBEDDED.test(error.stderr)) throw error
    }
    await unstageEmbedded(workspace, parent, call)
  }
  const listed = await treeGit(workspace, ['ls-files', '--others', '--exclude-standard', '-z'], call)
  const embedded = rawFields(listed.stdout).flatMap((path) => (path.endsWith('/') ? path.slice(0, -1) : []))
  const pathspecs = ['.', ...[...embedded, ...occupied].map((path) => `:(top,literal,exclude)${path}`)]
  await treeGit(workspace, ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    ...call,
    input: Buffer.from(pathspecs.join('\0'), 'latin1'),
    env: { GIT_LITERAL_PATHSPECS: '0' },
  })
}

/**
 * Submodules in whose place there is a repository now. `add` would ask that one for its status, by a git that obeys its configuration
 * and runs its filters: whoever works in the tree could run a command outside of it.
 */
async function occupiedSubmodules(workspace: Workspace, call: GitCall): Promise<string[]> {
  const { stdout } = await treeGit(workspace, ['ls-files', '--stage', '-z'], call)
  // A glance first: there are many files, and hardly ever a submodule.
  if (!stdout.includes(SUBMODULE)) return []
  const paths = rawFields(stdout).flatMap((line) =>
    line.startsWith(SUBMODULE) ? line.slice(line.indexOf('\t') + 1) : [],
  )
  const inTree = (path: string): Buffer =>
    Buffer.from(`${Buffer.from(workspace.tree).toString('latin1')}/${path}`, 'latin1')
  return paths.filter((path) => kindOf(inTree(`${path}/.git`)) !== 'missing')
}

const SUBMODULE = '160000 '
const EMBEDDED = /adding embedded git repository|does not have a commit checked out/

async function unstageEmbedded(workspace: Workspace, parent: string, call: GitCall): Promise<void> {
  const { stdout } = await treeGit(workspace, ['diff-index', '--cached', '-z', '--no-renames', parent], call)
  const entries = rawFields(stdout)
  const added = entries.filter((_, index) => /^:(?!160000)\d{6} 160000/.test(entries[index - 1] ?? ''))
  if (added.length === 0) return
  const input = Buffer.from(`${added.join('\0')}\0`, 'latin1')
  await treeGit(workspace, ['update-index', '--force-remove', '-z', '--stdin'], { ...call, input })
}

/** What lies untracked in the tree, ignored files apart; a folder ends in a slash. */
export async function untrackedIn(workspace: Workspace): Promise<string[]> {
  return await others(workspace)
}

/** Files that git knows and that are not, to the byte, what its index says of them. */
export async function changedIn(workspace: Workspace, call: GitCall = {}): Promise<string[]> {
  const args = [
    'diff',
    '--name-only',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--ignore-submodules=all',
    '-z',
  ]
  return fields((await treeGitFirmly(workspace, args, call)).stdout)
}

/** What of it is ignored. */
export async function ignoredIn(workspace: Workspace): Promise<string[]> {
  return await others(workspace, '--ignored')
}

async function others(workspace: Workspace, ...more: readonly string[]): Promise<string[]> {
  const args = ['ls-files', '--others', ...more, '--exclude-standard', '--directory', '--no-empty-directory', '-z']
  return fields((await treeGit(workspace, args)).stdout)
}

/**
 * Makes by-products of these paths: in no later snapshot, as if the repository's own rules ignored them. Answers with what was added.
 * Paths that `keep` names are never hidden.
 */
export function ignorePaths(workspace: Workspace, paths: readonly string[], keep: readonly string[]): string[] {
  const hidden = paths.filter(
    (path) => !keep.some((file) => file === path || (path.endsWith('/') && file.startsWith(path))),
  )
  if (hidden.length === 0) return []
  const patterns = hidden
    .filter((path) => !path.includes('\n'))
    .map((path) => `/${path.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}`)
  exclude(workspace.gitDir, patterns)
  return hidden
}
