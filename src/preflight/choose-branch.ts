// Chooses a session's branch (our own, a new name, or a person's) and its start commit, and reports obstacles before any agent call.
// Reads the repository, changes nothing in it.

import type { SessionOrigin } from '../domain/session/origin.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { formatBranchTaken } from '../domain/text/branch-names.ts'
import { shellQuote } from '../domain/text/shell-quote.ts'
import {
  aliasProblem,
  branchNameProblem,
  countCommitsBehind,
  findConflictingBranch,
  findMergeBase,
  findRemoteBranch,
  listBranchNames,
  readBranchHead,
  readBranchState,
} from '../platform/git/repository/branches.ts'
import { type Repository, resolveCommit } from '../platform/git/repository/inspect.ts'
import { findNearest } from '../runtime/settings/schema-introspection.ts'
import type { Store } from '../store/store.ts'

export interface BranchRequest {
  readonly branch?: string | undefined
  readonly useExistingBranch?: boolean | undefined
  readonly base?: string | undefined
  /** The branch or commit that the review compared the base with. */
  readonly against?: string | undefined
}

export interface ChosenBranch {
  readonly startCommit: string
  readonly obstacles: readonly string[]
}

interface BranchContext {
  readonly repository: Repository
  readonly repositoryId: string
  readonly base: string
  readonly store: Store
  readonly key: string
}

/** Problems of the request itself, in any repository. */
export async function branchProblems({ branch, useExistingBranch }: BranchRequest): Promise<string[]> {
  if (branch !== undefined) return [await branchNameProblem(branch)].filter((problem) => problem !== undefined)
  return useExistingBranch ? ['--use-existing-branch says nothing without --branch: give the name of the branch'] : []
}

export async function chooseBranch(input: BranchRequest, place: BranchContext): Promise<ChosenBranch> {
  const { branch, useExistingBranch } = input
  if (branch === undefined) return { startCommit: (await findEarlierHead(place)) ?? place.base, obstacles: [] }
  const taken = await findRunningOwnerProblem(branch, place)
  const found = await readBranchState(place.repository.root, branch)
  const chosen = useExistingBranch
    ? await checkExistingBranch(branch, found, input, place)
    : await checkNewBranch(branch, found.head, place)
  return taken === undefined ? chosen : { ...chosen, obstacles: [taken, ...chosen.obstacles] }
}

async function checkExistingBranch(
  branch: string,
  { head, worktree, alias }: Awaited<ReturnType<typeof readBranchState>>,
  input: BranchRequest,
  { repository, base }: BranchContext,
): Promise<ChosenBranch> {
  if (head === undefined)
    return { startCommit: base, obstacles: [await describeMissingBranch(branch, repository.root)] }
  const obstacles: string[] = []
  if (worktree !== undefined) {
    obstacles.push(
      `the branch ${branch} is checked out at ${worktree}, and would change under that checkout: switch it to another branch first (git -C ${shellQuote(worktree)} switch …)`,
    )
  }
  if (alias !== undefined) obstacles.push(`${aliasProblem(branch, alias)}: give --branch the name of one of its own`)
  const behind = await countCommitsBehind(repository.root, head, base)
  if (behind > 0) obstacles.push(behindProblem(branch, behind, input.base ?? describeBase(repository)))
  return { startCommit: head, obstacles }
}

/** Accepts a free name, or the branch of an earlier session of this work, which the new one continues. */
async function checkNewBranch(branch: string, head: string | undefined, place: BranchContext): Promise<ChosenBranch> {
  const { repository, base } = place
  if (head === undefined) {
    const other = await findConflictingBranch(repository.root, branch)
    const obstacles =
      other === undefined ? [] : [`git can't keep a branch ${branch} beside ${other}: give another name`]
    return { startCommit: base, obstacles }
  }
  const earlier = (await listSessionsOwningBranch(place)).find(({ branch_name }) => branch_name === branch)
  if (earlier?.options.base === base) return { startCommit: head, obstacles: [] }
  const obstacle = `the branch ${branch} exists already: give --use-existing-branch to commit onto it, or another name`
  return { startCommit: base, obstacles: [obstacle] }
}

/**
 * The head of the branch of this work's latest session, if that one did not complete. The new session continues there, with people's
 * commits on it. With another base, it begins anew.
 */
async function findEarlierHead(place: BranchContext): Promise<string | undefined> {
  const [earlier] = await listSessionsOwningBranch(place)
  if (!earlier?.branch_name || earlier.status === 'completed' || earlier.options.base !== place.base) return undefined
  return await readBranchHead(place.repository.root, earlier.branch_name)
}

/**
 * The sessions whose branch still belongs to this work. A person's branch is used only on request, and a name that was never used may
 * belong to other work by now.
 */
async function listSessionsOwningBranch({ repositoryId: repository_id, store, key }: BranchContext) {
  const own: SessionRecord[] = []
  for (const session of await store.sessions.list({ key })) {
    const { branch_name: branch, options } = session
    if (branch === undefined || options.use_existing_branch) continue
    const [last] = await store.sessions.list({ repository_id, branch, limit: 1 })
    if (last?.key === key) own.push(session)
  }
  return own
}

async function findRunningOwnerProblem(
  branch: string,
  { repositoryId: repository_id, store, key }: BranchContext,
): Promise<string | undefined> {
  const running = await store.sessions.list({ repository_id, running: true, limit: 1000 })
  const other = running.find((each) => each.branch_name?.toLowerCase() === branch.toLowerCase() && each.key !== key)
  return other && formatBranchTaken(branch, other.session_id)
}

const MAX_SUGGESTIONS = 3

async function describeMissingBranch(branch: string, root: string): Promise<string> {
  const names = await listBranchNames(root)
  const remote = await findRemoteBranch(root, branch)
  if (remote !== undefined) {
    return `there is no branch ${branch} here, only ${remote}: make one of it first (git branch ${branch} ${remote})`
  }
  const near = findSimilarNames(branch, names)
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `the latest are ${names.slice(0, 5).join(', ')}`
  return `there is no branch ${branch}: ${names.length === 0 ? 'there is none at all' : hint}`
}

function findSimilarNames(word: string, names: readonly string[]): string[] {
  const found: string[] = []
  while (found.length < MAX_SUGGESTIONS) {
    const next = findNearest(
      word,
      names.filter((name) => !found.includes(name)),
    )
    if (next === undefined) return found
    found.push(next)
  }
  return found
}

function behindProblem(branch: string, count: number, base: string): string {
  const commits = count === 1 ? '1 commit' : `${count} commits`
  return `the branch ${branch} is ${commits} behind ${base}, and a fix for code that has changed since may conflict: bring it up to date first (git rebase ${base} ${branch}), or give --base with the commit that it started from`
}

/** Problems of the branch that the review compared with. */
export async function reviewOriginProblems(
  { against }: BranchRequest,
  { root }: Repository,
  base: string,
): Promise<string[]> {
  if (against === undefined) return []
  const target = await resolveCommit(root, against)
  if (target === undefined) {
    return [`${root} has no commit "${against}": give --against the branch or commit that the review compared with`]
  }
  const isRelated = Boolean(await findMergeBase(root, target, base))
  return isRelated
    ? []
    : [`${against} (--against) and the base have no commit in common, so that nothing between them can be shown`]
}

/**
 * The branch that the work was reviewed against (`--against`, else by the rules), with the merge base; undefined if the work starts on
 * that branch.
 */
export async function findReviewOrigin(
  { base: asked, against, useExistingBranch }: BranchRequest,
  repository: Repository,
  base: string,
  head: string,
): Promise<SessionOrigin['against']> {
  const { root, defaultBranch } = repository
  // With an existing branch, `base` names the branch that it is to be merged into.
  const isTarget = useExistingBranch === true && asked !== undefined
  const name = against ?? (isTarget ? asked : defaultBranch)
  const target = isTarget && against === undefined ? base : name && (await resolveCommit(root, name))
  const commit = target && (await findMergeBase(root, target, head))
  return name === undefined || commit === undefined || commit === '' || commit === head ? undefined : { name, commit }
}

/** The name of the default base. */
export function describeBase({ branch, defaultBranch }: Repository): string {
  return (branch === undefined ? undefined : defaultBranch) ?? 'HEAD'
}
