// Makes trees and commits without a work tree: selects paths from snapshots, merges onto a person's commit, writes the commit.
// The same inputs give the same hashes, so an activity that runs twice makes nothing twice.
import { join } from 'node:path'
import { temporaryPath } from '../../processes/write-file-atomically.ts'
import { diffTrees, rememberTree, resolveTree } from '../compare-trees.ts'
import { decodeRawPath, GitError, runGit, splitFields, splitRawFields } from '../git.ts'
import { readBranchHead } from '../repository/branches.ts'
import type { Identity } from '../repository/inspect.ts'
import { removePath } from '../unruly-files.ts'
import { type CommitLines, type IndexEntry, writeChangedTree, writeCommit, writeObject } from '../write-objects.ts'
import type { TreeFile } from './file-contents.ts'
import { refreshObjects, type Workspace } from './object-store.ts'
import { runWorkspaceGit, runWorkspaceGitText } from './workspace.ts'

export interface CommitRequest {
  readonly tree: string
  readonly parent: string
  readonly message: string
  readonly author: Identity
  readonly at: Date
}

/** Writes an unsigned commit with one identity as author and committer. No branch moves. */
export async function commitTree(workspace: Workspace, request: CommitRequest): Promise<string> {
  const { tree, parent, message, author, at } = request
  const lines = {
    tree,
    parent,
    message: `${message.trimEnd()}\n`,
    identity: author,
    seconds: Math.floor(at.getTime() / 1000),
  }
  const commit = (await writeCommit(workspace.gitDir, lines)) ?? (await runCommitTree(workspace, lines))
  rememberTree(workspace, commit, tree)
  return commit
}

async function runCommitTree(
  workspace: Workspace,
  { tree, parent, message, identity, seconds }: CommitLines,
): Promise<string> {
  const date = `${seconds} +0000`
  return await runWorkspaceGitText(workspace, ['commit-tree', tree, '-p', parent], {
    input: message,
    env: {
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      GIT_COMMITTER_DATE: date,
    },
  })
}

export interface TreeSelection {
  readonly from: string
  /** Both names of a renamed file. A path that no selection names stays as in the base. */
  readonly paths: readonly string[]
}

/**
 * The tree of `base` with each selected path as the snapshot of its selection has it, or without it if the snapshot lacks it, and
 * with these files in the place of its own.
 */
export async function buildTreeFromSelections(
  workspace: Workspace,
  base: string,
  selections: readonly TreeSelection[],
  files: ReadonlyMap<string, TreeFile> = new Map(),
): Promise<string> {
  const found = await Promise.all(selections.map((selection) => listDifferences(workspace, base, selection.from)))
  const wanted = selections.map(({ paths }, number) => {
    const names = new Set(paths)
    return found[number]!.filter((entry) => names.has(decodeRawPath(entry.path)))
  })
  const [only, ...others] = selections
  // Usually one snapshot passes with all its changes: the result is its own tree, and no index is needed.
  if (only && others.length + files.size === 0 && wanted[0]!.length === found[0]!.length) {
    return await resolveTree(workspace, only.from)
  }
  const entries: IndexEntry[] = wanted.flat()
  for (const [path, { mode, content }] of files) {
    const sha = writeObject(workspace.gitDir, 'blob', content, base)
    entries.push({ mode, sha, path: Buffer.from(path).toString('latin1') })
  }
  return await writeTreeWith(workspace, base, entries)
}

/** The tree of `base` with these entries. */
async function writeTreeWith(workspace: Workspace, base: string, entries: readonly IndexEntry[]): Promise<string> {
  const tree = await resolveTree(workspace, base)
  if (entries.length === 0) return tree
  return (await writeChangedTree(workspace.gitDir, tree, entries)) ?? (await writeIndexTree(workspace, tree, entries))
}

async function writeIndexTree(workspace: Workspace, base: string, entries: readonly IndexEntry[]): Promise<string> {
  const index = temporaryPath(join(workspace.gitDir, 'index'))
  const env = { GIT_INDEX_FILE: index }
  try {
    await runWorkspaceGit(workspace, ['read-tree', base], { env })
    const lines = entries.map(({ mode, sha, path }) => `${mode} ${sha}\t${path}\0`)
    const input = Buffer.from(lines.join(''), 'latin1')
    await runWorkspaceGit(workspace, ['update-index', '-z', '--index-info'], { env, input })
    return await runWorkspaceGitText(workspace, ['write-tree'], { env })
  } finally {
    await Promise.all([removePath(index), removePath(`${index}.lock`)])
  }
}

const NO_RENAMES = ['-r', '-z', '--no-renames']

async function listDifferences(workspace: Workspace, base: string, from: string): Promise<IndexEntry[]> {
  const stdout = await diffTrees(workspace, NO_RENAMES, base, from)
  const parts = splitRawFields(stdout)
  const differences: IndexEntry[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode, , sha] = parts[at]!.split(' ')
    differences.push({ mode: mode!, sha: sha!, path: parts[at + 1]! })
  }
  return differences
}

/** Whether the one range changes the same paths from the same contents to the same contents as the other. */
export async function hasSameChanges(
  workspace: Workspace,
  one: { readonly from: string; readonly to: string },
  other: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map(({ from, to }) => diffTrees(workspace, NO_RENAMES, from, to)),
  )
  return first?.equals(second ?? Buffer.alloc(0)) === true
}

export type MergeResult =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

/** Merges the changes of `commit` onto `head`, as a tree without a commit. */
export async function mergeTreeOnto(workspace: Workspace, commit: string, head: string): Promise<MergeResult> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', head, commit]
  const { stdout, code } = await runWorkspaceGit(workspace, args, { accept: [1] })
  const [tree, ...paths] = splitFields(stdout)
  return code === 0 ? { kind: 'clean', tree: tree! } : { kind: 'conflict', paths: [...new Set(paths)] }
}

/** Brings the commits of the person's branch into the workspace. Returns its head; undefined if the branch is gone. */
export async function importBranchHead(workspace: Workspace, branch: string): Promise<string | undefined> {
  const head = await readBranchHead(workspace.repository, branch)
  if (head) await refreshObjects(workspace.repository, workspace.gitDir)
  return head
}

export async function isAncestor(root: string, commit: string, head: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', commit, head]
  const ended = await runGit(root, args, { accept: [1, 128] })
  // Status 128 means that the repository lacks the commit, or that it can't be read.
  if (ended.code === 128 && !ended.stderr.includes('Not a valid commit name')) throw new GitError(root, args, ended)
  return ended.code === 0
}

export interface CommitRecord {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Identity
  readonly at: Date
  readonly subject: string
  readonly message: string
  readonly trailers: readonly (readonly [key: string, value: string])[]
  readonly files: readonly string[]
}

const LOG_FIELDS = ['%H', '%T', '%P', '%an', '%ae', '%at', '%s', '%B', '%(trailers:only,unfold)']

/** The commits of `tip` that `base` lacks, oldest first. A merge lists the files that differ from its first parent. */
export async function listCommitsBetween(root: string, base: string, tip: string): Promise<CommitRecord[]> {
  const args = ['log', '-z', '--reverse', '--topo-order', '--raw', '--no-renames', '--diff-merges=first-parent']
  const shape = ['--no-color', '--no-ext-diff', '--no-textconv', `--format=${LOG_FIELDS.join('%x00')}%x00`]
  const { stdout } = await runGit(root, [...args, ...shape, '--end-of-options', `${base}..${tip}`])
  const parts = splitFields(stdout)
  const commits: CommitRecord[] = []
  for (let at = 0; at + LOG_FIELDS.length <= parts.length; ) {
    const [sha, tree, parents, name, email, seconds, subject, message, trailers] = parts.slice(
      at,
      at + LOG_FIELDS.length,
    )
    at += LOG_FIELDS.length
    const files: string[] = []
    while (at < parts.length && !/^[0-9a-f]{40,64}$/.test(parts[at]!)) {
      if (parts[at]!.trimStart().startsWith(':')) files.push(parts[++at]!)
      at++
    }
    commits.push({
      sha: sha!,
      tree: tree!,
      parents: parents!.split(' ').filter(Boolean),
      author: { name: name!, email: email! },
      at: new Date(Number(seconds) * 1000),
      subject: subject!,
      message: message!.trimEnd(),
      trailers: parseTrailers(trailers!),
      files,
    })
  }
  return commits
}

function parseTrailers(text: string): (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(': ')
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)] as const] : []
  })
}
