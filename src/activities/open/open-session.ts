// Opens a session: claims the issues, makes the plan, names the branch and builds the private workspace.
import { availableParallelism, totalmem } from 'node:os'
import { ApplicationFailure, activityInfo } from '@temporalio/activity'
import { findPrice } from '../../domain/budget/prices.ts'
import { listSharingSets } from '../../domain/lanes/choose-stages.ts'
import { allowsLanes, countLanes, wantsLanes } from '../../domain/lanes/count-lanes.ts'
import type { FourEyes } from '../../domain/people/check-approver.ts'
import { EMPTY_BRIEF } from '../../domain/plan/brief.ts'
import { listBatchCodes, planStages, type Stage } from '../../domain/plan/plan.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { fixIssueAnalyzing } from '../../domain/session/events/issue-events.ts'
import { logLanesRefused, logPriceUnknown } from '../../domain/session/events/logs/session-logs.ts'
import { fixPlanReady } from '../../domain/session/events/people-events.ts'
import { fixSessionStarted } from '../../domain/session/events/session-events.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import {
  effectiveIterations,
  effectivePlanner,
  getProfile,
  isChallenged,
  type Settings,
} from '../../domain/settings/schema.ts'
import { formatWorkflowUrl, type OpenedSession, type PlanningRules } from '../../domain/workflow-types/index.ts'
import { findWorkspace, openWorkspace, renameBranch } from '../../platform/git/workspace/workspace.ts'
import { detectSandboxLevel } from '../../platform/sandbox/enter-sandbox.ts'
import { assertSandboxAvailable, challengerModels } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, issueEventFields, loadSession, type Session, workspaceFolder } from '../context.ts'
import { oneCallSplitEvents } from '../plan/apply-plan.ts'
import { storePlan } from '../plan/store-plan.ts'
import { loadReviewGroups } from '../review/conclude-review.ts'
import { claimIssues } from './claim-issues.ts'
import { isNamedByAgent, reserveBranch } from './name-branch.ts'
import { timeoutsFromSettings } from './timeouts.ts'

/**
 * The plan is made here and not in the workflow, so the history holds it and a later rule can't change a running
 * session. A run after a kill finds what the one before did: claimed issues, a reserved branch, a workspace.
 */
export async function openSession(
  context: ActivityContext,
  { sessionId }: { readonly sessionId: string },
): Promise<OpenedSession> {
  const session = await loadSession(context, sessionId)
  const { settings, record, issues } = session
  const profile = getProfile(settings)
  // The starter may have died before it wrote the run id, and a session without one counts as never started.
  const run_id = record.run_id ?? activityInfo().workflowExecution?.runId
  await context.store.sessions.update(sessionId, { run_id, status: 'validating' })
  await assertSandboxAvailable(context, session)
  const sandbox = await detectSandboxLevel(settings.sandbox)
  await appendEvents(context, sessionId, [
    fixSessionStarted(
      {
        repository: record.repository,
        profile: settings.profile,
        max_iterations: effectiveIterations(settings),
        base: record.base_commit,
        sandbox,
        budgets: settings.budgets,
        workflow_id: record.workflow_id,
        run_id,
        temporal_url: context.temporalUi && formatWorkflowUrl(context.temporalUi, record.workflow_id),
      },
      issues.length,
    ),
  ])
  const base = record.base_commit
  if (base === undefined) throw ApplicationFailure.nonRetryable(`session ${sessionId} has no base commit`)
  const todo = await claimIssues(context, session)
  const groups = record.kind === 'review-fix' ? await loadReviewGroups(context, sessionId) : undefined
  const planned = groups ? todo.map((issue) => ({ ...issue, group: groups.get(issue.issue_code) })) : todo
  const stages = planStages(planned, profile, settings.limits)
  const branch = todo.length > 0 ? await openBranchWorkspace(context, session, { todo, base }) : undefined
  const namesBranch = branch !== undefined && (await isNamedByAgent(session, branch))
  const brief = todo.length > 0 ? await storePlan(context, session, stages, EMPTY_BRIEF) : undefined
  const talk = dialogueFromSettings(settings)
  await context.store.sessions.update(sessionId, { status: talk ? 'analyzing' : 'generating' })
  await appendEvents(context, sessionId, [
    ...openingPlanEvents(session, stages, namesBranch ? undefined : branch),
    ...(wantsLanes(settings) && !allowsLanes(settings) ? [logLanesRefused(settings.profile)] : []),
    ...unpricedModelEvents(context, settings),
  ])
  const { session_seconds: seconds } = settings.budgets
  const lanes = countLanes(settings, { cores: availableParallelism(), memoryMegabytes: measureMemory() / 2 ** 20 })
  return {
    queue: context.hostQueue,
    repository: record.repository,
    branch,
    base,
    stages,
    rules: {
      maxIterations: effectiveIterations(settings),
      solvedThreshold: settings.fix_challenger.solved_threshold,
      satisfactionThreshold: settings.fix_challenger.satisfaction_threshold,
      challenge: isChallenged(settings),
      verify: settings.verification.commands.length > 0,
      requiresWholeDiffScore: profile.whole_diff_score,
      verifiesFreshCheckout: settings.verification.fresh_checkout,
      verifiesOldTests: settings.verification.commands.length > 0,
      provesFixes: settings.verification.prove,
      findsCulprits: true,
      skipsFailedChallenges: settings.fix_challenger.when_checks_fail === 'skip',
      boundsExtraRound: true,
      ...(lanes > 1 && !settings.verification.each_commit ? { ridesTrains: true } : {}),
      ...(profile.max_attempts_per_issue === null ? {} : { maxAttemptsPerIssue: profile.max_attempts_per_issue }),
    },
    timeouts: timeoutsFromSettings(settings),
    ...(lanes > 1 ? { lanes: { count: lanes, sharing: listSharingSets(todo) } } : {}),
    verifiesBaseFirst: true,
    ...(namesBranch ? { namesBranch } : {}),
    showsWaits: true,
    showsPlanning: true,
    planning: talk,
    brief,
    senderKey: context.senderKey,
    ...(settings.people.four_eyes ? { fourEyes: toFourEyes(record) } : {}),
    attributes: context.searchAttributes,
    continueAfterEvents: settings.worker.history_events_before_continue,
    ...(seconds === null ? {} : { endsAt: Date.parse(record.started_at) + seconds * 1000 }),
  }
}

/** Bytes: what a container may take, where that is less than the machine has. */
function measureMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}

function toFourEyes({ started_by: starter }: SessionRecord): FourEyes {
  return { starter: starter?.by, ...(starter?.checked ? {} : { lacksCheckedStarter: true }) }
}

async function openBranchWorkspace(
  context: ActivityContext,
  session: Session,
  { todo, base }: { readonly todo: readonly IssueRecord[]; readonly base: string },
): Promise<string> {
  const branch = await reserveBranch(context, session, todo)
  const { repository } = session.record
  const directory = workspaceFolder(context, session.id)
  // What was reviewed here is fixed here.
  const reviewed = session.record.kind === 'review-fix' ? findWorkspace(directory) : undefined
  if (reviewed) await renameBranch(reviewed, branch)
  else await openWorkspace({ repository, base, branch, directory, ignore: session.settings.scope.artefacts })
  return branch
}

function unpricedModelEvents(context: ActivityContext, settings: Settings): NewEvent[] {
  const { budgets, prices } = settings
  if ((budgets.session_usd === null && budgets.issue_usd === null) || !isChallenged(settings)) return []
  const models = challengerModels(context, settings).filter((model) => findPrice(prices, model) === undefined)
  return models.length === 0 ? [] : [logPriceUnknown(models)]
}

/** The dialogue with people and the planner; undefined if the rules alone decide. */
export function dialogueFromSettings(settings: Settings): PlanningRules | undefined {
  const { clarify, approve_plan: approvePlan, max_clarify_rounds, max_plan_rejections } = settings.people
  const waitForStart = clarify && settings.people.wait_for_start
  const planner = effectivePlanner(settings)
  if (!clarify && !approvePlan && planner === 'rules') return undefined
  const bounds = { maxClarifyRounds: max_clarify_rounds, maxPlanRejections: max_plan_rejections }
  return { clarify, planner, approvePlan, ...(waitForStart ? { waitForStart } : {}), ...bounds }
}

function openingPlanEvents(session: Session, stages: readonly Stage[], branch: string | undefined): NewEvent[] {
  const batches = stages.flatMap((stage) => stage.batches)
  const events = batches.flatMap((batch) =>
    listBatchCodes(batch).map((code) => fixIssueAnalyzing({ label: batch.label }, issueEventFields(session, code))),
  )
  return [
    ...events,
    ...oneCallSplitEvents(session.settings, stages, 'plan'),
    fixPlanReady(undefined, { stages, branch }),
  ]
}
