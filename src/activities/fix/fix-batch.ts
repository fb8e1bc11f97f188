// A batch's fixer call, from a known tree to a snapshot. Changes and owners are read from git; the reply only claims.

import { stripAdvice } from '../../domain/budget/limits.ts'
import { filterReports } from '../../domain/review-fix/filter-reports.ts'
import { fixBatchCompleted, fixBatchStarted, fixStageStarted } from '../../domain/session/events/batch-events.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { fixIssueGenerating, fixIssueRegenerating, fixIssueStarted } from '../../domain/session/events/issue-events.ts'
import { logGitUseUndone, logReportsIgnored } from '../../domain/session/events/logs/work-logs.ts'
import { countOwnedPaths } from '../../domain/stage/change-owners.ts'
import type { FixInput, FixOutcome } from '../../domain/workflow-types/index.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { callWithRepair, listCallKeys } from '../agent-call/call-with-repair.ts'
import { findLastConversation } from '../agent-call/conversation.ts'
import { findOverBudgetIssues } from '../agent-call/enforce-budget.ts'
import { runWithClaude } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import { storeArtifact } from '../artifacts.ts'
import { checkTamperingEvents, flagCheckTampering } from '../challenge/flag-doubtful-changes.ts'
import {
  type ActivityContext,
  getIssue,
  type Heartbeat,
  issueEventFields,
  loadSession,
  loadWorkspace,
  pathsOutsideFindings,
  type Session,
} from '../context.ts'
import { storeGateRecord } from '../gate-records.ts'
import { ensureTodoFiles } from '../plan/store-plan.ts'
import { scopeViolationEvents } from '../scope/scope-gate.ts'
import { composeTree, findSnapshot, type ParsedSnapshot, toFixWork } from './compose-tree.ts'
import { buildFixPrompts, buildSubAgentPrompt, offersSubAgents, remainingSteps } from './fixer-prompt-input.ts'
import { followFiles, listGoneClaims } from './follow-files.ts'
import { loadBounds } from './load-bounds.ts'
import { takeSnapshot } from './take-snapshot.ts'

/** The snapshot is the activity's memory: if it exists, everything before it is done. */
export async function fixBatch(context: ActivityContext, input: FixInput, heartbeat: Heartbeat): Promise<FixOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, input.sessionId, input.lane)
  const taken =
    (await findSnapshot(workspace, input.stepId)) ?? (await callFixer(context, session, workspace, input, heartbeat))
  const diff = await diffText(workspace, input.head, taken.tree)
  await storeArtifact(context, session.id, 'diff', input.stepId, diff)
  const silenced = await flagCheckTampering(context, session, diff)
  if (silenced.length > 0) await storeGateRecord(context, session, input.stepId, { tree: taken.tree, silenced })
  await appendEvents(context, session.id, [
    ...batchCompletedEvents(session, input, taken),
    ...checkTamperingEvents(input.stepId, silenced, taken.metadata.owners),
  ])
  const alsoTouched = input.lane ? listOthersTouched(session, input.codes, taken) : []
  const plain = toFixWork(input.stepId, input.codes, taken)
  const work = alsoTouched.length > 0 ? { ...plain, alsoTouched } : plain
  const conversation = await findLastConversation(context, session.id, listCallKeys(input.stepId))
  const { failure } = taken.metadata
  const spent = await findOverBudgetIssues(context, session, input.codes)
  return {
    work,
    ...(failure ? { failure } : {}),
    ...(conversation ? { conversation } : {}),
    ...(spent ? { overspent: spent } : {}),
  }
}

/** Issues that the call was not about, whose files it changed. */
function listOthersTouched({ issues }: Session, codes: readonly string[], { metadata }: ParsedSnapshot): string[] {
  const others = issues.filter(
    ({ issue_code, file }) => !codes.includes(issue_code) && Object.hasOwn(metadata.owners, file),
  )
  return others.map(({ issue_code }) => issue_code)
}

async function callFixer(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  input: FixInput,
  heartbeat: Heartbeat,
): Promise<ParsedSnapshot> {
  await appendEvents(context, session.id, batchStartedEvents(session, input))
  const start = await composeTree(workspace, input.head, input.start)
  const places = await followFiles(session, workspace, { codes: input.codes, head: input.head, tree: start.tree })
  const left = input.codes.filter((code) => !places.gone.has(code))
  if (left.length === 0) {
    await resetWorkTree(workspace, start.tree, { head: input.head })
    return await takeSnapshot(context, session, workspace, { input, start, claims: listGoneClaims(places) })
  }
  const asked = await withoutOverBudgetIssues(context, session, { ...input, codes: left })
  const { stepId, batch, iteration, codes } = asked
  const bounds = await loadBounds(context, session, workspace, { codes, head: input.head, endsAt: heartbeat.endsAt })
  const placed = { ...session, issues: places.issues }
  const todo = batch.delegates ? await ensureTodoFiles(context, session, input.brief, remainingSteps(asked)) : undefined
  const answer = await callWithRepair(
    context,
    session,
    {
      ...(await buildFixPrompts(context, placed, workspace, { input: asked, start, todo, bounds })),
      key: stepId,
      role: iteration === 1 ? 'fixer' : 're_fixer',
      reply: 'fix',
      iteration,
      codes,
      deadlineMs: session.settings.claude.timeout_seconds * 1000,
      // A second go at the work is another round, with its own step id.
      startsOver: false,
      isWork: true,
      beforeCall: () => resetWorkTree(workspace, start.tree, { head: input.head }),
      run: runWithClaude(context, session, {
        workspace,
        subAgentPrompt: offersSubAgents(session)
          ? await buildSubAgentPrompt(context, placed, workspace, { input: asked, bounds })
          : undefined,
        readableFolders: todo && [todo.folder],
      }),
    },
    heartbeat,
  )
  const results = answer.kind === 'read' ? answer.value.results : []
  const known = session.issues.map(({ issue_code }) => issue_code)
  const { claims, remarks } = filterReports(asked.codes, results, known)
  if (remarks.length > 0) await appendEvents(context, session.id, [logReportsIgnored(stepId, remarks)])
  const failure = answer.kind === 'failed' ? answer.failure : undefined
  const settled = [...claims, ...listGoneClaims(places)]
  return await takeSnapshot(context, session, workspace, { input, start, claims: settled, failure })
}

/** Drops the issues that are over budget: the dialogue before the first fix costs, too. */
async function withoutOverBudgetIssues(context: ActivityContext, session: Session, input: FixInput): Promise<FixInput> {
  const spent = await findOverBudgetIssues(context, session, input.codes)
  const codes = input.codes.filter((code) => spent?.[code] === undefined)
  return codes.length === 0 ? input : { ...input, codes }
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
        ? [fixIssueStarted({ title }, about), fixIssueGenerating({ stepId, file }, about)]
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
  const failure_detail = failure && stripAdvice(failure.detail)
  return [
    fixBatchCompleted({ stepId, label: batch.label, codes, files, outside, unchanged, failure_detail }),
    ...(notes.length > 0 ? [logGitUseUndone(stepId, notes)] : []),
    ...scopeViolationEvents(stepId, metadata),
  ]
}
