// The messages of a stage's commits: words from findings and fixer, in the manner of the repository's log, and the evidence.

import { tmpdir } from 'node:os'
import { readCommitStyle } from '../../domain/commit/commit-style.ts'
import { composeCommitMessage, type DescribedCommit, hasOwnSubject } from '../../domain/commit/compose-message.ts'
import { hideLocalPaths } from '../../domain/commit/hide-local-paths.ts'
import type { CommitTrain } from '../../domain/session/session.ts'
import { describeTampering } from '../../domain/tampering/tampering-flag.ts'
import { joinList } from '../../domain/text/join-list.ts'
import type { CheckEvidence } from '../../domain/verification/check-evidence.ts'
import type { GateRecord } from '../../domain/verification/gate-record.ts'
import type { CommitInput } from '../../domain/workflow-types/index.ts'
import { FIXWRIGHT_IDENTITY } from '../../platform/git/git.ts'
import { listLatestSubjects } from '../../platform/git/repository/commit-log.ts'
import type { Identity } from '../../platform/git/repository/inspect.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { flagCheckTampering } from '../challenge/flag-doubtful-changes.ts'
import { type ActivityContext, getIssue, type Heartbeat, type Session } from '../context.ts'
import { type ComposedTree, listChangedPaths } from '../fix/compose-tree.ts'
import { getGatingScore, loadGateRecord } from '../gate-records.ts'
import { proposeSubjects } from '../open/name-branch.ts'

export interface ProvenTree {
  readonly input: CommitInput
  /** Issues with files of their own in the tree. */
  readonly codes: readonly string[]
  readonly composed: ComposedTree
  readonly gate: GateRecord | undefined
  readonly checks: CheckEvidence
}

interface CommitTree {
  readonly codes: readonly string[]
  readonly parent: string
  readonly tree: string
  readonly train?: CommitTrain | undefined
}

interface MessageInput {
  readonly approved: ProvenTree
  readonly commits: readonly CommitTree[]
  readonly author: Identity
}

export async function composeMessages(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { approved, commits, author }: MessageInput,
  heartbeat: Heartbeat,
): Promise<string[]> {
  const { git } = session.settings
  const style = readCommitStyle(await listLatestSubjects(workspace.gitDir, workspace.base))
  const described = await Promise.all(
    commits.map((commit) => describeCommit(context, session, workspace, approved, commit)),
  )
  const { stepId, head, tree } = approved.input
  const diff = await diffText(workspace, head, tree)
  const mute = described.filter((commit) => !hasOwnSubject(commit, style))
  const proposed =
    git.naming === 'agent' && mute.length > 0
      ? await proposeSubjects(context, session, { stepId, commits: mute.map(listCodes), diff }, heartbeat)
      : {}
  const evidence = await loadEvidence(context, session, approved, diff)
  // No one signs off in Fixwright's name.
  const signedOffBy =
    git.sign_off && author.email !== FIXWRIGHT_IDENTITY.email ? `${author.name} <${author.email}>` : undefined
  return await Promise.all(
    commits.map(async ({ codes, train }, index) => {
      const commit = described[index]!
      const proof = listProof(evidence, commit)
      const trailers = { detail: git.trailers ?? 'full', session: session.id, codes, proof, train, signedOffBy }
      const message = composeCommitMessage({ commit, style, trailers, proposed: proposed[codes[0] ?? ''] })
      return await context.masking.maskText(message)
    }),
  )
}

function listCodes({ issues }: DescribedCommit): string[] {
  return issues.map(({ issue_code }) => issue_code)
}

async function describeCommit(
  { masking }: ActivityContext,
  session: Session,
  workspace: Workspace,
  { composed: { claims } }: ProvenTree,
  { codes, parent, tree }: CommitTree,
): Promise<DescribedCommit> {
  const issues = codes.map((code) => {
    const { issue_code, title, description } = getIssue(session, code)
    return { issue_code, title, description, summary: claims[code]?.changes_summary ?? '' }
  })
  return {
    // A secret must not be wrapped before it is recognised.
    issues: await masking.maskValues(issues),
    files: [...(await listChangedPaths(workspace, parent, tree))],
    codes: session.issues.map(({ issue_code }) => issue_code),
  }
}

type Proof = readonly (readonly [name: string, value: string])[]

interface Evidence {
  readonly gate: GateRecord | undefined
  readonly checks: CheckEvidence
  readonly proofs: readonly NonNullable<GateRecord['proof']>[]
  readonly silenced: NonNullable<GateRecord['silenced']>
}

async function loadEvidence(
  context: ActivityContext,
  session: Session,
  { input, gate, checks }: ProvenTree,
  diff: string,
): Promise<Evidence> {
  const records = await Promise.all(
    (input.proofStepIds ?? []).map((stepId) => loadGateRecord(context, session, stepId)),
  )
  // The challenger's record holds the flags of this very tree.
  const silenced = gate?.tree === input.tree ? (gate.silenced ?? []) : await flagCheckTampering(context, session, diff)
  const folders = [session.record.repository, context.sessionsFolder, context.environment.HOME ?? '', tmpdir()]
  return {
    gate,
    checks: {
      passed: checks.passed.map((command) => hideLocalPaths(command, folders)),
      ...(checks.unproven ? { unproven: hideLocalPaths(checks.unproven, folders) } : {}),
    },
    proofs: records.flatMap((record) => (record?.proof?.verdict === 'proven' ? [record.proof] : [])),
    silenced,
  }
}

/** The evidence is about the whole tree; what names issues or files goes to their commit. */
function listProof(
  { gate, checks: { passed, unproven }, proofs, silenced }: Evidence,
  { issues, files }: DescribedCommit,
): Proof {
  const codes = issues.map(({ issue_code }) => issue_code)
  const scores = codes.flatMap((code) => getGatingScore(gate, code) ?? [])
  const proof: (readonly [string, string])[] = []
  if (scores.length > 0) proof.push(['Challenged', `${Math.min(...scores)} or more`])
  if (passed.length > 0) proof.push(['Verified', passed.join('; ')])
  if (unproven) proof.push(['Unproven', unproven])
  for (const proven of proofs.filter((each) => each.codes.some((code) => codes.includes(code)))) {
    proof.push(['Proven', `${proven.codes.join(', ')}: ${joinList(proven.files)}`])
  }
  const flags = silenced.filter(({ file }) => files.includes(file))
  if (flags.length > 0) proof.push(['Silenced', joinList(flags.map(describeTampering), '; ')])
  return proof
}
