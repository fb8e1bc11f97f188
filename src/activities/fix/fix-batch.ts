// A batch's fixer call, from a known tree to a snapshot. Changes and owners are read from git; the reply only claims.

import { stripAdvice } from '../../domain/budget/limits.ts'
import type { FixInput, FixOutcome } from '../../domain/protocol/index.ts'
import { parsePathsInside } from '../../domain/scope/paths.ts'
import { fixBatchCompleted, fixBatchStarted, fixStageStarted } from '../../domain/session/events/batch-events.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { fixIssueGenerating, fixIssueRegenerating, fixIssueStarted } from '../../domain/session/events/issue-events.ts'
import { logGitUseUndone } from '../../domain/session/events/logs/work-logs.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { assignOwners, countOwnedPaths, restrictOwners } from '../../domain/stage/change-owners.ts'
import type { SnapshotMetadata } from '../../domain/stage/snapshot-metadata.ts'
import { detectAgentGitUse } from '../../platform/git/workspace/detect-git-use.ts'
import { diffText, listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { createSnapshot } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { findOverBudgetIssues } from '../agent-call/enforce-budget.ts'
import { appendEvents } from '../append-events.ts'
import { checkTamperingEvents, flagCheckTampering } from '../challenge/flag-check-tampering.ts'
import {
  type ActivityContext,
  getIssue,
  issueEventFields,
  loadSession,
  loadWorkspace,
  pathsOutsideFindings,
  type Session,
} from '../context.ts'
import { storeGateRecord } from '../gate-records.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { checkTreeScope, scopeViolationEvents } from '../scope/scope-gate.ts'
import { storeArtifact } from '../store-artifact.ts'
import { callFixer, findFixConversation } from './call-fixer.ts'
import { type ComposedTree, composeTree, listChangedPaths } from './compose-tree.ts'
import { findSnapshot, type ParsedSnapshot, parseSnapshot, toFixWork } from './snapshot-metadata.ts'

/** The snapshot is the activity's memory: if it exists, everything before it is done. */
export async function fixBatch(context: ActivityContext, input: FixInput, heartbeat: Heartbeat): Promise<FixOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, input.sessionId)
  const taken =
    (await findSnapshot(workspace, input.stepId)) ?? (await runFixerCall(context, session, workspace, input, heartbeat))
  const diff = await diffText(workspace, input.head, taken.commit)
  await storeArtifact(context, session.id, 'diff', input.stepId, diff)
  const silenced = await flagCheckTampering(context, session, diff)
  if (silenced.length > 0) await storeGateRecord(context, session, input.stepId, { tree: taken.tree, silenced })
  await appendEvents(context, session.id, [
    ...batchCompletedEvents(session, input, taken),
    ...checkTamperingEvents(input.stepId, silenced, taken.metadata.owners),
  ])
  const work = toFixWork(input.stepId, input.codes, taken)
  const conversation = await findFixConversation(context, session, input.stepId)
  const { failure } = taken.metadata
  const spent = await findOverBudgetIssues(context, session, input.codes)
  return {
    work,
    ...(failure ? { failure } : {}),
    ...(conversation ? { conversation } : {}),
    ...(spent ? { overspent: spent } : {}),
  }
}

async function runFixerCall(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  input: FixInput,
  heartbeat: Heartbeat,
): Promise<ParsedSnapshot> {
  await appendEvents(context, session.id, batchStartedEvents(session, input))
  const start = await composeTree(workspace, input.head, input.start)
  const asked = await withoutOverBudgetIssues(context, session, input)
  const { reply, failure } = await callFixer(context, session, workspace, { input: asked, start }, heartbeat)
  const claims = reply?.results.filter(({ issue_code }) => input.codes.includes(issue_code)) ?? []
  return await takeSnapshot(context, session, workspace, { input, start, claims, failure })
}

/** Drops the issues that are over budget: the dialogue before the first fix costs, too. */
async function withoutOverBudgetIssues(context: ActivityContext, session: Session, input: FixInput): Promise<FixInput> {
  const spent = await findOverBudgetIssues(context, session, input.codes)
  const codes = input.codes.filter((code) => spent?.[code] === undefined)
  return codes.length === 0 ? input : { ...input, codes }
}

interface FixerCallResult {
  readonly input: FixInput
  readonly start: ComposedTree
  readonly claims: readonly FixClaim[]
  readonly failure?: CallFailure | undefined
}

async function takeSnapshot(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { input, start, claims, failure }: FixerCallResult,
): Promise<ParsedSnapshot> {
  const traces = await detectAgentGitUse(workspace)
  const claimants = input.codes.map((code) => ({
    code,
    file: getIssue(session, code).file,
    claimedFiles: parsePathsInside(
      claims.filter(({ issue_code }) => issue_code === code).flatMap(({ file_modified }) => file_modified ?? []),
      workspace.tree,
    ),
    claimsFalsePositive: claims.some(({ issue_code, status }) => issue_code === code && status === 'false_positive'),
  }))
  const note = async (tree: string): Promise<string> => {
    const [changed, differing] = await Promise.all([
      listChanges(workspace, start.tree, tree),
      listChangedPaths(workspace, input.head, tree),
    ])
    const owners = restrictOwners(assignOwners(changed, claimants, start.owners), differing)
    const scope = await checkTreeScope(context, session, workspace, { head: input.head, start, tree, changed, owners })
    // An agent's changes to git itself can't be told apart by issue.
    const everybody = traces.violations.length > 0 ? input.codes : []
    return JSON.stringify({
      owners,
      claims: { ...start.claims, ...Object.fromEntries(claims.map((claim) => [claim.issue_code, claim])) },
      violations: [...scope.violations, ...traces.violations],
      outOfScope: [...new Set([...scope.outOfScope, ...everybody])],
      outside: scope.outside,
      notes: traces.observations,
      failure,
    } satisfies SnapshotMetadata)
  }
  return parseSnapshot(
    await createSnapshot(workspace, { name: input.stepId, parent: input.head, at: new Date(), message: note }),
  )
}

function batchStartedEvents(session: Session, { stepId, codes, iteration, batch, stage }: FixInput): NewEvent[] {
  const { label, workload } = batch
  return [
    fixStageStarted(stage),
    fixBatchStarted({ stepId, label, workload, codes, iteration }),
    ...codes.flatMap((code): NewEvent[] => {
      const { title, file } = getIssue(session, code)
      const about = issueEventFields(session, code)
      return iteration === 1
        ? [fixIssueStarted(title, about), fixIssueGenerating({ stepId, file }, about)]
        : [fixIssueRegenerating({ stepId, file, iteration }, about)]
    }),
  ]
}

function batchCompletedEvents(
  session: Session,
  { stepId, codes, batch }: FixInput,
  { metadata }: ParsedSnapshot,
): NewEvent[] {
  const { owners, claims, failure, notes } = metadata
  const files = Object.keys(owners)
  const outside = pathsOutsideFindings(session, files)
  const unchanged = codes.filter((code) => claims[code]?.status === 'fixed' && countOwnedPaths(owners, code) === 0)
  const failureDetail = failure && stripAdvice(failure.detail)
  return [
    fixBatchCompleted({ stepId, label: batch.label, codes, files, outside, unchanged, failureDetail }),
    ...(notes.length > 0 ? [logGitUseUndone(stepId, notes)] : []),
    ...scopeViolationEvents(stepId, metadata),
  ]
}
