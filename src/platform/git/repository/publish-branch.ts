// The only code that writes to the person's repository: one pack of objects, one compare-and-swap of one branch. No hook runs, and no
// other ref, HEAD, index, file or configuration changes.

import { GitError, runGit } from '../git.ts'
import { isAncestor } from '../workspace/commits.ts'
import type { Workspace } from '../workspace/object-store.ts'
import { runWorkspaceGit } from '../workspace/workspace.ts'
import { describeWriteRedirect, type GitDirOwnership, inspectOwnershipForBranch } from './borrowed-git-dir.ts'
import { aliasProblem, findUnwritableFolder, readBranchHead, readBranchState } from './branches.ts'
import { buildNoHooksConfig } from './disable-hooks.ts'

export interface PublishRequest {
  readonly workspace: Workspace
  readonly branch: string
  readonly commit: string
  /** The commit that the branch must be on; undefined if it must not exist. */
  readonly expected: string | undefined
}

export type PublishOutcome =
  | { readonly kind: 'published' }
  /** The branch has the commit: it was published before, and perhaps built upon since. */
  | { readonly kind: 'already' }
  | { readonly kind: 'moved'; readonly head: string | undefined }
  | { readonly kind: 'checked_out'; readonly where: string }
  /** The write would go to another branch or repository. */
  | { readonly kind: 'refused'; readonly why: string }

/**
 * Leaves a branch alone that is checked out anywhere: moving it would make that checkout lie.
 * Gap: a person who checks the branch out between our check and the swap gets a checkout that is one commit behind.
 */
export async function publishBranch(request: PublishRequest): Promise<PublishOutcome> {
  const { workspace, branch, commit, expected } = request
  const root = workspace.repository
  const [{ head, worktree, alias }, pack, standing] = await Promise.all([
    readBranchState(root, branch),
    packObjects(workspace, commit, expected ?? workspace.base),
    inspectOwnershipForBranch(root, branch),
  ])
  if (head !== undefined && (head === commit || (head !== expected && (await isAncestor(root, commit, head))))) {
    return { kind: 'already' }
  }
  if (head !== expected) return { kind: 'moved', head }
  if (worktree !== undefined) return { kind: 'checked_out', where: worktree }
  if (alias !== undefined) return { kind: 'refused', why: aliasProblem(branch, alias) }
  if (standing.kind !== 'own') return { kind: 'refused', why: describeForeignGitDir(root, standing) }
  // GIT_DIR names the very git directory that was checked.
  const env = { GIT_DIR: standing.gitDir }
  try {
    await runGit(root, ['unpack-objects', '-q', '--strict'], { input: pack, env })
    return await updateBranchRef(request, env)
  } catch (error) {
    const where = await findUnwritableFolder(root, branch)
    if (where === undefined) throw error
    const way = 'give the user who runs Fixwright the right to write there, and start the same work again'
    throw new Error(`the commit can't be written into ${where}: ${way}`, { cause: error })
  }
}

// A pack takes a third of a fetch's time, and nothing in the person's configuration can redirect or extend it.
// `unpack-objects --strict` refuses a commit if their repository no longer has the objects around it.
async function packObjects(workspace: Workspace, commit: string, theirs: string): Promise<Buffer> {
  const input = `${commit}\n^${theirs}\n`
  return (await runWorkspaceGit(workspace, ['pack-objects', '--revs', '--stdout', '-q'], { input })).stdout
}

function describeForeignGitDir(root: string, standing: Exclude<GitDirOwnership, { readonly kind: 'own' }>): string {
  if (standing.kind === 'led_away') return describeWriteRedirect(standing)
  return `the git of ${root} is that of ${standing.where}`
}

async function updateBranchRef(request: PublishRequest, env: { readonly GIT_DIR: string }): Promise<PublishOutcome> {
  const { branch, commit, expected } = request
  const root = request.workspace.repository
  const nowhere = '0'.repeat(commit.length)
  const swap = [`refs/heads/${branch}`, commit, expected ?? nowhere]
  const args = ['update-ref', '--no-deref', '-m', 'fixwright: commit', ...swap]
  try {
    await runGit(root, args, { config: await buildNoHooksConfig(root), env })
    return { kind: 'published' }
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const head = await readBranchHead(root, branch)
    if (head === commit) return { kind: 'already' }
    if (head !== expected) return { kind: 'moved', head }
    throw error
  }
}
