// Merges the approved tree onto a person's commit on the branch; the result becomes a snapshot for the gates.

import { logBranchMerged, logLaneMerged } from '../../domain/session/events/logs/work-logs.ts'
import { restrictOwners } from '../../domain/stage/change-owners.ts'
import type { SnapshotMetadata } from '../../domain/stage/snapshot-metadata.ts'
import type { MergeInput, MergeOutcome } from '../../domain/workflow-types/index.ts'
import { FIXWRIGHT_IDENTITY } from '../../platform/git/git.ts'
import { commitTree, hasSameChanges, mergeTreeOnto } from '../../platform/git/workspace/commits.ts'
import { createSnapshot, resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, loadSession, loadWorkspace } from '../context.ts'
import { composeTree, listChangedPaths, parseSnapshot, toFixWork } from '../fix/compose-tree.ts'
import { loadGateRecord, loadOldTests, storeGateRecord } from '../gate-records.ts'
import { findUnapprovedFiles } from '../scope/scope-gate.ts'

export async function mergeStage(context: ActivityContext, input: MergeInput): Promise<MergeOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id, input.lane)
  const { stepId, head, onto, selections } = input
  const composed = await composeTree(workspace, head, selections)
  const { tree, owners, unclaimed, claims } = composed
  const at = new Date(input.at)
  const chosen = await commitTree(workspace, { tree, parent: head, message: stepId, author: FIXWRIGHT_IDENTITY, at })
  const merged = await mergeTreeOnto(workspace, chosen, onto)
  if (merged.kind === 'conflict') return merged
  await resetWorkTree(workspace, merged.tree, { head: onto })
  const left = restrictOwners(owners, await listChangedPaths(workspace, onto, merged.tree))
  const outside = (await findUnapprovedFiles(workspace, composed)).filter(({ path }) => Object.hasOwn(left, path))
  const note: SnapshotMetadata = { owners: left, unclaimed, claims, outOfScope: [], violations: [], outside, notes: [] }
  const taken = await createSnapshot(workspace, { name: stepId, parent: onto, at, message: JSON.stringify(note) })
  const work = toFixWork(stepId, input.codes, parseSnapshot(taken))
  const ranges = [
    { from: head, to: tree },
    { from: onto, to: taken.tree },
  ] as const
  const isSame = input.lane !== undefined && (await hasSameChanges(workspace, ...ranges))
  const gate =
    isSame && input.challengeStepId ? await loadGateRecord(context, session, input.challengeStepId) : undefined
  const oldTests = isSame ? await loadOldTests(context, session, { stepId, tree }) : undefined
  if (gate || oldTests) {
    const { verdicts, whole, silenced } = gate ?? {}
    // Its failures are decided about: no fixer hears of them again.
    const kept = oldTests && { ...oldTests, failures: [] }
    await storeGateRecord(context, session, stepId, { tree: taken.tree, verdicts, whole, silenced, oldTests: kept })
  }
  const event = input.lane
    ? logLaneMerged(stepId, { lane: input.lane.number, onto, same_diff: isSame })
    : logBranchMerged(stepId, { branch: workspace.branch, onto })
  await appendEvents(context, session.id, [event])
  return { kind: 'clean', work, ...(isSame ? { isSameDiff: true } : {}) }
}
