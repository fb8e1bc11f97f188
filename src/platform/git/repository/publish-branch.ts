// The only code that writes to the person's repository: one pack of objects, one compare-and-swap of one branch.
// No hook runs, no other ref, HEAD, index, file or configuration changes. A branch that is checked out anywhere is left
// alone, since moving it would make that checkout lie.
// What would lead it out of the repository is looked for before (borrowed.ts).
// The gap: a person who checks the branch out between our look and the swap gets a checkout that is one commit behind.

import { GitError, git } from '../git.ts'
import { isWithin } from '../workspace/commits.ts'
import type { Workspace } from '../workspace/object-store.ts'
import { ownGit } from '../workspace/workspace.ts'
import { detourInWords, type Standing, standingFor } from './borrowed-git-dir.ts'
import { aliasProblem, branchHead, branchState, unwritable } from './branches.ts'
import { withoutHooks } from './disable-hooks.ts'

export interface PublishRequest {
  readonly workspace: Workspace
  readonly branch: string
  readonly commit: string
  /** Where the branch must be; undefined when it must not exist. */
  readonly expected: string | undefined
}

export type Published =
  | { readonly kind: 'published' }
  /** The branch holds the commit: published before, perhaps built upon since. */
  | { readonly kind: 'already' }
  | { readonly kind: 'moved'; readonly head: string | undefined }
  | { readonly kind: 'checked_out'; readonly where: string }
  /** What would be written would not be written here. */
  | { readonly kind: 'refused'; readonly why: string }

export async function publish(request: PublishRequest): Promise<Published> {
  const { workspace, branch, commit, expected } = request
  const root = workspace.repository
  const [{ head, where, alias }, pack, standing] = await Promise.all([
    branchState(root, branch),
    packFor(workspace, commit, expected ?? workspace.base),
    standingFor(root, branch),
  ])
  if (head !== undefined && (head === commit || (head !== expected && (await isWithin(root, commit, head))))) {
    return { kind: 'already' }
  }
  if (head !== expected) return { kind: 'moved', head }
  if (where !== undefined) return { kind: 'checked_out', where }
  if (alias !== undefined) return { kind: 'refused', why: aliasProblem(branch, alias) }
  if (standing.kind !== 'own') return { kind: 'refused', why: notItsOwn(root, standing) }
  // Into the very git directory that was looked at.
  const env = { GIT_DIR: standing.gitDir }
  try {
    await git(root, ['unpack-objects', '-q', '--strict'], { input: pack, env })
    return await moveBranch(request, env)
  } catch (error) {
    const where = await unwritable(root, branch)
    if (where === undefined) throw error
    const way = 'give the user who runs Fixwright the right to write there, and start the same work again'
    throw new Error(`the commit can't be written into ${where}: ${way}`, { cause: error })
  }
}

// What a fetch would bring, in a third of its time, and nothing of their configuration can redirect or extend it.
// Unpacked with `--strict`, which refuses a commit whose surroundings they no longer have.
async function packFor(workspace: Workspace, commit: string, theirs: string): Promise<Buffer> {
  const input = `${commit}\n^${theirs}\n`
  return (await ownGit(workspace, ['pack-objects', '--revs', '--stdout', '-q'], { input })).stdout
}

function notItsOwn(root: string, standing: Exclude<Standing, { readonly kind: 'own' }>): string {
  if (standing.kind === 'led_away') return detourInWords(standing)
  return `the git of ${root} is that of ${standing.where}`
}

async function moveBranch(request: PublishRequest, env: { readonly GIT_DIR: string }): Promise<Published> {
  const { branch, commit, expected } = request
  const root = request.workspace.repository
  const nowhere = '0'.repeat(commit.length)
  const swap = [`refs/heads/${branch}`, commit, expected ?? nowhere]
  const args = ['update-ref', '--no-deref', '-m', 'fixwright: commit', ...swap]
  try {
    await git(root, args, { config: await withoutHooks(root), env })
    return { kind: 'published' }
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const head = await branchHead(root, branch)
    if (head === commit) return { kind: 'already' }
    if (head !== expected) return { kind: 'moved', head }
    throw error
  }
}
