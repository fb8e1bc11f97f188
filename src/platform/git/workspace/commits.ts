// Trees and commits made without a work tree: pick paths from snapshots, merge onto a person's commit, write the commit.
// All of it is deterministic: the same inputs give the same hashes, so a call that runs twice makes nothing twice.
import { join } from 'node:path'
import { removeAll, temporaryName } from '../files.ts'
import { fields, GitError, git, rawFields, readable } from '../git.ts'
import { branchHead } from '../repository/branches.ts'
import type { Identity } from '../repository/inspect.ts'
import { refreshObjects, type Workspace } from './object-store.ts'
import { ownGit, ownGitText } from './workspace.ts'

export interface CommitRequest {
  readonly tree: string
  readonly parent: string
  readonly message: string
  readonly author: Identity
  readonly at: Date
}

/** Writes a commit, unsigned, author and committer alike. No branch moves. */
export async function commitTree(workspace: Workspace, request: CommitRequest): Promise<string> {
  const { tree, parent, message, author, at } = request
  const date = `${Math.floor(at.getTime() / 1000)} +0000`
  return await ownGitText(workspace, ['commit-tree', tree, '-p', parent], {
    input: `${message.trimEnd()}\n`,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: date,
    },
  })
}

export interface Pick {
  readonly from: string
  /** Where a file was renamed, both names. A path that no pick names stays as in the base. */
  readonly paths: readonly string[]
}

/** The tree of `base` with each path as its pick has it, or gone if its pick has none. */
export async function compose(workspace: Workspace, base: string, picks: readonly Pick[]): Promise<string> {
  const [found, only] = await Promise.all([
    Promise.all(picks.map((pick) => differencesOf(workspace, base, pick.from))),
    picks.length === 1 ? treeOf(workspace, picks[0]!.from) : undefined,
  ])
  const wanted = picks.map(({ paths }, number) => {
    const names = new Set(paths)
    return found[number]!.filter((entry) => names.has(readable(entry.path)))
  })
  // One snapshot with all it changed is what usually passes: its own tree, and no index is needed.
  if (only && wanted[0]!.length === found[0]!.length) return only
  const lines = wanted.flat().map((entry) => `${entry.mode} ${entry.sha}\t${entry.path}\0`)
  if (lines.length === 0) return await treeOf(workspace, base)
  const index = temporaryName(join(workspace.gitDir, 'index'))
  const env = { GIT_INDEX_FILE: index }
  try {
    await ownGit(workspace, ['read-tree', base], { env })
    const input = Buffer.from(lines.join(''), 'latin1')
    await ownGit(workspace, ['update-index', '-z', '--index-info'], { env, input })
    return await ownGitText(workspace, ['write-tree'], { env })
  } finally {
    await Promise.all([removeAll(index), removeAll(`${index}.lock`)])
  }
}

export async function treeOf(workspace: Workspace, commitOrTree: string): Promise<string> {
  return await ownGitText(workspace, ['rev-parse', '--verify', '--end-of-options', `${commitOrTree}^{tree}`])
}

interface Difference {
  readonly mode: string
  readonly sha: string
  /** Byte for byte, for names that are not UTF-8. */
  readonly path: string
}

async function differencesOf(workspace: Workspace, base: string, from: string): Promise<Difference[]> {
  const { stdout } = await ownGit(workspace, ['diff-tree', '-r', '-z', '--no-renames', base, from])
  const parts = rawFields(stdout)
  const differences: Difference[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode, , sha] = parts[at]!.split(' ')
    differences.push({ mode: mode!, sha: sha!, path: parts[at + 1]! })
  }
  return differences
}

export type Merge =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

/** What `commit` changed, merged onto `head`. The tree only: whoever wants it commits it. */
export async function mergeOnto(workspace: Workspace, commit: string, head: string): Promise<Merge> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', head, commit]
  const { stdout, code } = await ownGit(workspace, args, { accept: [1] })
  const [tree, ...paths] = fields(stdout)
  return code === 0 ? { kind: 'clean', tree: tree! } : { kind: 'conflict', paths: [...new Set(paths)] }
}

/** The head of the person's branch, its commits now at hand in the workspace; undefined when the branch is gone. */
export async function bringHead(workspace: Workspace, branch: string): Promise<string | undefined> {
  const head = await branchHead(workspace.repository, branch)
  if (head) await refreshObjects(workspace.repository, workspace.gitDir)
  return head
}

/** Whether `head` has the commit in its history. */
export async function isWithin(root: string, commit: string, head: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', commit, head]
  const ended = await git(root, args, { accept: [1, 128] })
  // With the same status git says that the repository does not have the commit at all, and that it can't be read.
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

const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%at', '%s', '%B', '%(trailers:only,unfold)']

/** The commits of `tip` that `base` has not, oldest first. A merge lists the files that differ from its first parent. */
export async function commitsBetween(root: string, base: string, tip: string): Promise<CommitRecord[]> {
  const args = ['log', '-z', '--reverse', '--topo-order', '--raw', '--no-renames', '--diff-merges=first-parent']
  const shape = ['--no-color', '--no-ext-diff', '--no-textconv', `--format=${FORMAT.join('%x00')}%x00`]
  const { stdout } = await git(root, [...args, ...shape, '--end-of-options', `${base}..${tip}`])
  const parts = fields(stdout)
  const commits: CommitRecord[] = []
  for (let at = 0; at + FORMAT.length <= parts.length; ) {
    const [sha, tree, parents, name, email, seconds, subject, message, trailers] = parts.slice(at, at + FORMAT.length)
    at += FORMAT.length
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
      trailers: trailerPairs(trailers!),
      files,
    })
  }
  return commits
}

function trailerPairs(text: string): (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(': ')
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)] as const] : []
  })
}
