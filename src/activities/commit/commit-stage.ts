// Commits exactly the tree that the gates saw onto the session's branch, by one compare-and-swap however many commits lead to it.

import { ApplicationFailure } from '@temporalio/activity'
import { countOwnedPaths, type Owners } from '../../domain/stage/change-owners.ts'
import type { GateRecord } from '../../domain/verification/gate-record.ts'
import type { CommitInput, CommitOutcome } from '../../domain/workflow-types/index.ts'
import { readBranchHead } from '../../platform/git/repository/branches.ts'
import { publishBranch } from '../../platform/git/repository/publish-branch.ts'
import { importBranchHead } from '../../platform/git/workspace/commits.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { type ActivityContext, type Heartbeat, loadSession, loadWorkspace, type Session } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { loadGateRecord, storeGateRecord } from '../gate-records.ts'
import { findUnapprovedFiles } from '../scope/scope-gate.ts'
import { loadCheckEvidence, recordBaseline } from '../verify/baseline.ts'
import { recordIntendedFixes, resolveCommittedFixes } from './resolve-issues.ts'
import { writeCommits } from './write-commits.ts'

/** Saves its commits under the step's id before the branch moves: a retry finds them, even if the author has changed. */
export async function commitStage(
  context: ActivityContext,
  input: CommitInput,
  heartbeat: Heartbeat,
): Promise<CommitOutcome> {
  const { stepId, head, tree } = input
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id, input.lane)
  const composed = await composeTree(workspace, head, input.selections)
  if (composed.tree !== tree) {
    throw ApplicationFailure.nonRetryable(
      `the tree to commit is ${composed.tree}, but the gates saw ${tree}: nothing was committed; please report this`,
    )
  }
  if (composed.lost.length > 0) {
    throw ApplicationFailure.nonRetryable(
      `the changes of ${composed.lost.join(', ')} are not all in the tree: nothing was committed; please report this`,
    )
  }
  const [outside] = await findUnapprovedFiles(workspace, composed)
  if (outside) {
    throw ApplicationFailure.nonRetryable(
      `${outside.path} is ${outside.why} and nobody has let it through: nothing was committed; please report this`,
    )
  }
  if (!(await context.store.sessions.update(session.id, { status: 'committing' }))) {
    throw ApplicationFailure.nonRetryable(`session ${session.id} was closed meanwhile: nothing was committed`)
  }
  const { challengeStepId } = input
  const gate = input.cars
    ? await storeTrainRecord(context, session, input)
    : challengeStepId && (await loadGateRecord(context, session, challengeStepId))
  const approved = {
    input,
    composed,
    codes: listCommitCodes(session, input, composed.owners),
    gate: gate || undefined,
    checks: await loadCheckEvidence(context, session, { ...input, onto: head }),
  }
  const commits = await writeCommits(context, session, workspace, approved, heartbeat)
  const last = commits.at(-1)!
  const fixes = await recordIntendedFixes(context, session, workspace, { approved, commits })
  const { branch } = workspace
  const expected = await findExpectedHead(workspace, head)
  const outcome = await publishBranch({ workspace, branch, commit: last.sha, expected })
  const isOn = outcome.kind === 'published' || outcome.kind === 'already'
  if (isOn) {
    await resolveCommittedFixes(context, session, fixes)
    await recordBaseline(context, session, { stepId, onto: head, sha: last.sha, tree })
  }
  await context.store.sessions.update(session.id, { status: 'generating' })
  if (isOn) {
    const parts = commits.map(({ sha, codes }) => ({ sha, codes }))
    const whole = { sha: last.sha, codes: approved.codes }
    return { kind: 'committed', ...whole, ...(parts.length > 1 ? { commits: parts } : {}) }
  }
  if (outcome.kind === 'checked_out') return outcome
  if (outcome.kind === 'refused') {
    throw ApplicationFailure.nonRetryable(
      `${outcome.why}: nothing was committed; put that right, and start the same work again`,
    )
  }

  const moved = await importBranchHead(workspace, branch)
  if (moved) return { kind: 'moved', head: moved }
  throw ApplicationFailure.nonRetryable(
    `the branch ${branch} was deleted while the session ran: start the same work again`,
  )
}

/** The verdicts on the stages of a train, as those on its tree: each stage changes there what was judged, byte for byte. */
async function storeTrainRecord(
  context: ActivityContext,
  session: Session,
  { stepId, tree, challengeStepIds = [] }: CommitInput,
): Promise<GateRecord> {
  const gates = await Promise.all(challengeStepIds.map((each) => loadGateRecord(context, session, each)))
  const verdicts = Object.assign({}, ...gates.map((gate) => gate?.verdicts)) as GateRecord['verdicts']
  const record: GateRecord = { tree, verdicts, silenced: gates.flatMap((gate) => gate?.silenced ?? []) }
  await storeGateRecord(context, session, stepId, record)
  return record
}

/** Issues with changes of their own: in the plan's order where each is a commit, else in the order of the request. */
function listCommitCodes({ settings, issues }: Session, { codes, cars }: CommitInput, owners: Owners): string[] {
  const requested = issues.map(({ issue_code }) => issue_code).filter((code) => codes.includes(code))
  const ordered = settings.git.commits === 'issue' || cars ? codes : requested
  return ordered.filter((code) => countOwnedPaths(owners, code) > 0)
}

/** The expected head; undefined if the commit creates the branch, which only a session's first commit may. */
async function findExpectedHead({ repository, branch, base }: Workspace, head: string): Promise<string | undefined> {
  if (head !== base) return head
  return (await readBranchHead(repository, branch)) === base ? base : undefined
}
