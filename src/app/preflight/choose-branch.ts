// Where a session's commits are to go, and the commit that they stand on: a branch of our own, one of a new name, or one that a person
// has. What is in the way is told before any agent is asked. Reads the repository, changes nothing in it.

import type { SessionRecord } from '../../domain/session/session.ts'
import { quoted } from '../../domain/text/shell-quote.ts'
import {
  aliasProblem,
  branchHead,
  branchInTheWay,
  branchNameProblem,
  branchNames,
  branchState,
  commitsBehind,
  remoteBranch,
} from '../../platform/git/repository/branches.ts'
import type { Repository } from '../../platform/git/repository/inspect.ts'
import { nearest } from '../../runtime/settings/schema-introspection.ts'
import type { Store } from '../../store/store.ts'

export interface BranchOrder {
  readonly branch?: string | undefined
  readonly useExistingBranch?: boolean | undefined
  readonly base?: string | undefined
}

export interface ChosenBranch {
  /** What the work stands on. */
  readonly head: string
  readonly obstacles: readonly string[]
}

interface Place {
  readonly repository: Repository
  readonly base: string
  readonly store: Store
  readonly key: string
}

/** What can't be meant, whatever the repository holds. */
export async function branchProblems({ branch, useExistingBranch }: BranchOrder): Promise<string[]> {
  if (branch !== undefined) return [await branchNameProblem(branch)].filter((problem) => problem !== undefined)
  return useExistingBranch ? ['--use-existing-branch says nothing without --branch: give the name of the branch'] : []
}

export async function chooseBranch(order: BranchOrder, place: Place): Promise<ChosenBranch> {
  const { branch, useExistingBranch } = order
  if (branch === undefined) return { head: (await headOfEarlier(place)) ?? place.base, obstacles: [] }
  const taken = await takenBy(branch, place)
  const found = await branchState(place.repository.root, branch)
  const chosen = useExistingBranch
    ? await existing(branch, found, order, place)
    : await fresh(branch, found.head, place)
  return taken === undefined ? chosen : { ...chosen, obstacles: [taken, ...chosen.obstacles] }
}

async function existing(
  branch: string,
  { head, where, alias }: Awaited<ReturnType<typeof branchState>>,
  order: BranchOrder,
  { repository, base }: Place,
): Promise<ChosenBranch> {
  if (head === undefined) return { head: base, obstacles: [await missing(branch, repository.root)] }
  const obstacles: string[] = []
  if (where !== undefined) {
    obstacles.push(
      `the branch ${branch} is checked out at ${where}, and would change under that checkout: switch it to another branch first (git -C ${quoted(where)} switch …)`,
    )
  }
  if (alias !== undefined) obstacles.push(`${aliasProblem(branch, alias)}: give --branch the name of one of its own`)
  const behind = await commitsBehind(repository.root, head, base)
  if (behind > 0) obstacles.push(behindProblem(branch, behind, order.base ?? nameOf(repository)))
  return { head, obstacles }
}

/** A name that is free; or the branch of an earlier session of this work, which goes on there. */
async function fresh(branch: string, head: string | undefined, place: Place): Promise<ChosenBranch> {
  const { repository, base } = place
  if (head === undefined) {
    const other = await branchInTheWay(repository.root, branch)
    const obstacles =
      other === undefined ? [] : [`git can't keep a branch ${branch} beside ${other}: give another name`]
    return { head: base, obstacles }
  }
  const earlier = (await ownSessions(place)).find(({ branch_name }) => branch_name === branch)
  if (earlier?.options.base === base) return { head, obstacles: [] }
  const obstacle = `the branch ${branch} exists already: give --use-existing-branch to commit onto it, or another name`
  return { head: base, obstacles: [obstacle] }
}

/**
 * Where the sessions of this work left their branch, while something is left to do: a new one goes on from there, with what
 * people committed on it. From another base it begins anew.
 */
async function headOfEarlier(place: Place): Promise<string | undefined> {
  const [earlier] = await ownSessions(place)
  if (!earlier?.branch_name || earlier.status === 'completed' || earlier.options.base !== place.base) return undefined
  return await branchHead(place.repository.root, earlier.branch_name)
}

/**
 * Those whose branch is still this work's. A person's is gone on with only where they say so again; and a name that was never made use of
 * may be other work's by now.
 */
async function ownSessions({ repository, store, key }: Place) {
  const own: SessionRecord[] = []
  for (const session of await store.sessions.list({ key })) {
    const { branch_name: branch, options } = session
    if (branch === undefined || options.use_existing_branch) continue
    const [last] = await store.sessions.list({ repository: repository.root, branch, limit: 1 })
    if (last?.key === key) own.push(session)
  }
  return own
}

async function takenBy(branch: string, { repository, store, key }: Place): Promise<string | undefined> {
  const running = await store.sessions.list({ repository: repository.root, running: true, limit: 1000 })
  const other = running.find((each) => each.branch_name?.toLowerCase() === branch.toLowerCase() && each.key !== key)
  return other && branchTaken(branch, other.session_id)
}

export function branchTaken(branch: string, sessionId: string): string {
  return `session ${sessionId} is committing onto the branch ${branch}: wait until it has ended, or stop it (fixwright cancel ${sessionId})`
}

const MENTIONED = 3

async function missing(branch: string, root: string): Promise<string> {
  const names = await branchNames(root)
  const remote = await remoteBranch(root, branch)
  if (remote !== undefined) {
    return `there is no branch ${branch} here, only ${remote}: make one of it first (git branch ${branch} ${remote})`
  }
  const near = similar(branch, names)
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `the latest are ${names.slice(0, 5).join(', ')}`
  return `there is no branch ${branch}: ${names.length === 0 ? 'there is none at all' : hint}`
}

function similar(word: string, names: readonly string[]): string[] {
  const found: string[] = []
  while (found.length < MENTIONED) {
    const next = nearest(
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

/** What the base is called where nobody named one. */
export function nameOf({ branch, defaultBranch }: Repository): string {
  return (branch === undefined ? undefined : defaultBranch) ?? 'HEAD'
}
