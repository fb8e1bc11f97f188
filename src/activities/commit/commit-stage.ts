// Commits exactly the tree that the gates saw onto the session's branch, by compare-and-swap.

import { ApplicationFailure } from '@temporalio/activity'
import type { CommitInput, CommitOutcome } from '../../domain/protocol/index.ts'
import { countOwnedPaths } from '../../domain/stage/change-owners.ts'
import { describeTampering } from '../../domain/tampering/flag.ts'
import { composeCommitMessage } from '../../domain/text/branch-and-commit-names.ts'
import { joinList } from '../../domain/text/join-list.ts'
import type { GateRecord } from '../../domain/verification/gate-record.ts'
import { FIXWRIGHT_IDENTITY } from '../../platform/git/git.ts'
import { readBranchHead } from '../../platform/git/repository/branches.ts'
import { type Identity, readIdentity } from '../../platform/git/repository/inspect.ts'
import { publishBranch } from '../../platform/git/repository/publish-branch.ts'
import { importBranchHead } from '../../platform/git/workspace/commits.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readSnapshot, type Snapshot, saveCommit } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { flagCheckTampering } from '../challenge/flag-check-tampering.ts'
import { type ActivityContext, getIssue, loadSession, loadWorkspace, type Session } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { getGatingScore, loadGateRecord } from '../gate-records.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { proposeCommitMessage } from '../open/name-branch.ts'
import { findUnapprovedFiles } from '../scope/approved-paths.ts'
import { listProvenCommands, recordBaseline } from '../verify/baseline.ts'
import { recordIntendedFixes, resolveCommittedFixes } from './resolve-issues.ts'

/** Saves the commit under the step's id before the branch moves: a retry finds it, even if the author has changed. */
export async function commitStage(
  context: ActivityContext,
  input: CommitInput,
  heartbeat: Heartbeat,
): Promise<CommitOutcome> {
  const { stepId, head, tree } = input
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id)
  const composed = await composeTree(workspace, head, input.selections)
  if (composed.tree !== tree) {
    throw ApplicationFailure.nonRetryable(
      `the tree to commit is ${composed.tree}, but the gates saw ${tree}: nothing was committed; please report this`,
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
  const gate =
    input.challengeStepId === undefined ? undefined : await loadGateRecord(context, session, input.challengeStepId)
  // In the order of the request; selections come in the order of their snapshots.
  const codes = session.issues
    .map(({ issue_code }) => issue_code)
    .filter((code) => input.codes.includes(code) && countOwnedPaths(composed.owners, code) > 0)
  const commit = (await readSnapshot(workspace, stepId)) ?? (await make())
  const fixes = await recordIntendedFixes(context, session, workspace, { input, codes, composed, gate, commit })
  const { branch } = workspace
  const expected = await findExpectedHead(workspace, head)
  const outcome = await publishBranch({ workspace, branch, commit: commit.commit, expected })
  const isOn = outcome.kind === 'published' || outcome.kind === 'already'
  if (isOn) {
    await resolveCommittedFixes(context, session, fixes)
    await recordBaseline(context, session, { stepId, onto: head, sha: commit.commit, tree })
  }
  await context.store.sessions.update(session.id, { status: 'generating' })
  if (isOn) return { kind: 'committed', sha: commit.commit, codes }
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

  async function make(): Promise<Snapshot> {
    const author = await resolveAuthor(session)
    const words = await buildCommitMessage(context, session, workspace, { input, codes, gate, author }, heartbeat)
    const message = await context.masking.maskText(words)
    return await saveCommit(workspace, stepId, { tree, parent: head, message, author, at: new Date(input.at) })
  }
}

/** The expected head; undefined if the commit creates the branch, which only a session's first commit may. */
async function findExpectedHead({ repository, branch, base }: Workspace, head: string): Promise<string | undefined> {
  if (head !== base) return head
  return (await readBranchHead(repository, branch)) === base ? base : undefined
}

async function resolveAuthor({ settings, record }: Session): Promise<Identity> {
  const { author_name, author_email } = settings.git
  const own = author_name && author_email ? undefined : await readIdentity(record.repository)
  return {
    name: author_name ?? own?.name ?? FIXWRIGHT_IDENTITY.name,
    email: author_email ?? own?.email ?? FIXWRIGHT_IDENTITY.email,
  }
}

interface ApprovedCommit {
  readonly input: CommitInput
  readonly codes: readonly string[]
  readonly gate: GateRecord | undefined
  readonly author: Identity
}

async function buildCommitMessage(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { input, codes, gate, author }: ApprovedCommit,
  heartbeat: Heartbeat,
): Promise<string> {
  const { git } = session.settings
  const scores = codes.flatMap((code) => getGatingScore(gate, code) ?? [])
  const proof: (readonly [string, string])[] = []
  if (scores.length > 0) proof.push(['Challenged', `${Math.min(...scores)} or more`])
  const passed =
    input.verified === 'passed' ? await listProvenCommands(context, session, { ...input, onto: input.head }) : []
  if (passed.length > 0) proof.push(['Verified', passed.join('; ')])
  if (proof.length === 0) proof.push(['Unproven', 'neither challenged nor verified'])
  for (const stepId of input.proofStepIds ?? []) {
    const proven = (await loadGateRecord(context, session, stepId))?.proof
    if (proven?.verdict === 'proven') proof.push(['Proven', `${proven.codes.join(', ')}: ${joinList(proven.files)}`])
  }
  const diff = await diffText(workspace, input.head, input.tree)
  // The challenger's record holds the flags of this very tree.
  const silenced = gate?.tree === input.tree ? (gate.silenced ?? []) : await flagCheckTampering(context, session, diff)
  if (silenced.length > 0) proof.push(['Silenced', joinList(silenced.map(describeTampering), '; ')])
  const issues = codes.map((code) => getIssue(session, code))
  // No one signs off in Fixwright's name.
  const signedOffBy =
    git.sign_off && author.email !== FIXWRIGHT_IDENTITY.email ? `${author.name} <${author.email}>` : undefined
  const trailers = { session: session.id, codes, proof, signedOffBy }
  if (git.naming === 'rules') return composeCommitMessage(issues, trailers)
  const proposed = await proposeCommitMessage(context, session, { stepId: input.stepId, codes, diff }, heartbeat)
  return composeCommitMessage(issues, trailers, proposed)
}
