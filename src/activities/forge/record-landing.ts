// Gives issues the status that follows from the end of a pull request, each by its own commit: merged, open again if the pull request was
// closed without that, resolved again if it was opened again. What a person or a session has changed since stays.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { decideLanding, describeMerge, type Landing, type LandingFacts } from '../../domain/forge/decide-landing.ts'
import type { IssueStatus } from '../../domain/issue/issue.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import type { ForgeOutcome, RecordedLanding, SeenPull, WatchInput } from '../../domain/workflow-types/index.ts'
import { readBranchHead } from '../../platform/git/repository/branches.ts'
import { findLandings } from '../../platform/git/repository/find-landings.ts'
import { resolveCommit } from '../../platform/git/repository/inspect.ts'
import { withOwnGitDir } from '../../platform/git/repository/own-git-dir.ts'
import { fetchFromRemote } from '../../platform/git/repository/read-remote.ts'
import { isAncestor } from '../../platform/git/workspace/commits.ts'
import type { ActivityContext } from '../context.ts'
import { toForgeOutcome } from './forge-outcomes.ts'
import { openWatchedRemote } from './look-at-pull.ts'

export async function recordLanding(
  context: ActivityContext,
  input: WatchInput & { readonly pull: SeenPull },
): Promise<ForgeOutcome<RecordedLanding>> {
  return await toForgeOutcome('read', async () => {
    const recorder = createRecorder(context, input)
    const issues = await listFixedIssues(context, input)
    if (input.number !== undefined && input.pull.state === 'open') {
      for (const issue of issues) if (recorder.isClosedByUs(issue)) await recorder.restore(issue)
      return recorder.recorded()
    }
    const known = await inspectCommits(context, input, issues)
    for (const issue of issues) await recorder.record(issue, known.get(issue.fix_commit_sha ?? ''))
    return recorder.recorded()
  })
}

/** Those whose commit may be in the pull request. Where there is only git, those of the branch: any other branch is watched apart. */
async function listFixedIssues(
  { store }: ActivityContext,
  { repositoryId, number, branch }: WatchInput,
): Promise<IssueRecord[]> {
  const listed = await store.issues.list({ repository_id: repositoryId, status: ['resolved', 'open'] })
  return listed.filter((issue) => issue.fix_commit_sha && (number !== undefined || issue.fix_branch === branch))
}

interface KnownCommit {
  readonly facts: LandingFacts
  /** Undefined if the last commit of the pull request can't be had. */
  readonly isInPull: boolean | undefined
}

const NOTHING_KNOWN: LandingFacts = { isContained: false, isTouched: true }

async function inspectCommits(
  context: ActivityContext,
  input: WatchInput & { readonly pull: SeenPull },
  issues: readonly IssueRecord[],
): Promise<ReadonlyMap<string, KnownCommit>> {
  const { pull } = input
  const commits = [...new Set(issues.flatMap(({ fix_commit_sha }) => fix_commit_sha ?? []))]
  if (commits.length === 0) return new Map()
  const ofBranch = new Set(issues.flatMap((each) => (each.fix_branch === pull.branch ? each.fix_commit_sha : [])))
  const { root, access } = await openWatchedRemote(context, input, 'record')
  const commit = (await readBranchHead(root, pull.branch)) ?? (await resolveCommit(root, 'HEAD'))
  if (commit === undefined) throw new FixwrightError('repository_unusable', `${root} has no commit`)
  return await withOwnGitDir({ root, folder: access.folder, commit }, async (gitDir) => {
    const head = pull.head === undefined ? undefined : await fetchFromRemote(gitDir, access, pull.head)
    const target =
      (await fetchFromRemote(gitDir, access, `refs/heads/${pull.base}`)) ??
      (pull.mergeCommit === undefined ? undefined : await fetchFromRemote(gitDir, access, pull.mergeCommit))
    const known = new Map<string, KnownCommit>()
    for (const each of commits) {
      const isInPull = head === undefined ? undefined : await isAncestor(gitDir, each, head)
      // Other branches have pull requests of their own.
      if (isInPull || ofBranch.has(each)) known.set(each, { facts: NOTHING_KNOWN, isInPull })
    }
    if (target === undefined) return known
    // The branch may have moved on in the person's repository.
    const question = { target, tip: head ?? commit, commits: [...known.keys()] }
    for (const facts of await findLandings(gitDir, question)) {
      known.set(facts.commit, { facts, isInPull: known.get(facts.commit)?.isInPull })
    }
    return known
  })
}

function createRecorder(context: ActivityContext, { name, number, pull }: WatchInput & { readonly pull: SeenPull }) {
  const done = { merged: [] as string[], reopened: [] as string[], restored: [] as string[], unknown: [] as string[] }
  let left = 0
  const closedNote = `its pull request ${name} was closed without being merged`
  const isClosedByUs = ({ status, resolution_note }: IssueRecord) => status === 'open' && resolution_note === closedNote

  async function move(issue: IssueRecord, to: IssueStatus, note: string): Promise<boolean> {
    const { issue_id, version } = issue
    const isAsSeen = (now: IssueRecord) => now.version === version
    const moved = await context.store.issues.changeStatus({ issue_id, to, mover: 'merge', note, isAsSeen })
    return moved.kind === 'moved'
  }

  async function restore(issue: IssueRecord): Promise<IssueRecord | undefined> {
    if (!(await move(issue, 'resolved', `its pull request ${name} was opened again`))) return undefined
    done.restored.push(issue.issue_code)
    return await context.store.issues.get(issue.issue_id)
  }

  async function markMerged(issue: IssueRecord, landing: Extract<Landing, { readonly kind: 'merged' }>): Promise<void> {
    // It was closed, opened again and merged between two looks.
    const resolved = issue.status === 'open' ? await restore(issue) : issue
    const note = `${describeMerge(pull.base, landing)}${number === undefined ? '' : ` by ${name}`}`
    if (resolved && (await move(resolved, 'merged', note))) done.merged.push(issue.issue_code)
  }

  return {
    isClosedByUs,
    restore,
    record: async (issue: IssueRecord, known: KnownCommit | undefined): Promise<void> => {
      // An issue that is open for another reason was given up, or is to be fixed anew.
      if (known === undefined || (issue.status === 'open' && !isClosedByUs(issue))) return
      const { facts, isInPull } = known
      const { state, mergeCommit } = pull
      const landing = decideLanding(
        facts,
        number === undefined ? undefined : { state, mergeCommit, hasCommit: isInPull },
      )
      if (landing.kind === 'merged') return await markMerged(issue, landing)
      if (issue.status === 'open') return
      if (state === 'closed' && isInPull !== false && issue.fix_branch === pull.branch) {
        if (await move(issue, 'open', closedNote)) done.reopened.push(issue.issue_code)
        return
      }
      left += 1
      if (landing.kind === 'unknown') done.unknown.push(issue.issue_code)
    },
    recorded: (): RecordedLanding => ({ ...done, left }),
  }
}
