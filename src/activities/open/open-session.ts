// Opens a session: the issues that are still to be fixed, the plan, the branch's name and the private workspace. The plan is
// made here and not in the workflow, so that the history holds it and a later rule can't change a session under way.
// Killed half way it is done again and finds what it did: issues taken up, a branch taken, a workspace built.
import { ApplicationFailure, activityInfo } from '@temporalio/activity'
import { priceOf } from '../../domain/budget/prices.ts'
import { EMPTY_BRIEF } from '../../domain/plan/brief.ts'
import { codesOfBatch, type Stage } from '../../domain/plan/plan.ts'
import { stagesOf } from '../../domain/plan/plan-stages.ts'
import type { OpenedSession, Talk } from '../../domain/protocol/index.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import { sandboxInWords } from '../../domain/settings/sandbox-level.ts'
import {
  effectiveIterations,
  effectivePlanner,
  isChallenged,
  profileOf,
  type Settings,
} from '../../domain/settings/schema.ts'
import { openWorkspace } from '../../platform/git/workspace/workspace.ts'
import { sandboxOf } from '../../platform/sandbox/enter-sandbox.ts'
import { challengersOf } from '../agent-call/cli-call.ts'
import { demandSandbox } from '../agent-call/sandbox.ts'
import { tell } from '../append-events.ts'
import { aboutIssue, loadSession, type Session, type Workshop, workspaceFolder } from '../context.ts'
import type { Beat } from '../heartbeat.ts'
import { batchesOf, lay, sizeOf, slicingEvents } from '../plan/apply-plan.ts'
import { takeUp } from './claim-issues.ts'
import { askForBranch, takeBranch } from './name-branch.ts'
import { clocksOf } from './timeouts.ts'

export async function openSession(
  shop: Workshop,
  { sessionId }: { readonly sessionId: string },
  beat: Beat,
): Promise<OpenedSession> {
  const session = await loadSession(shop, sessionId)
  const { settings, record, issues } = session
  const profile = profileOf(settings)
  // Its starter may have died before it could write this down, and a session without a run counts as never started.
  const run_id = record.run_id ?? activityInfo().workflowExecution?.runId
  await shop.store.sessions.update(sessionId, { run_id, status: 'validating' })
  await demandSandbox(shop, session)
  const sandbox = await sandboxOf(settings.sandbox)
  await tell(shop, sessionId, [
    {
      key: 'session/started',
      type: 'fix_session_started',
      message: `${issues.length} issue(s) in ${record.repository}, profile ${settings.profile}; agents in ${sandboxInWords(sandbox)}`,
      total_issues: issues.length,
      data: {
        profile: settings.profile,
        max_iterations: effectiveIterations(settings),
        base: record.base_commit,
        sandbox,
        budgets: settings.budgets,
      },
    },
  ])
  const base = record.base_commit
  if (base === undefined) throw ApplicationFailure.nonRetryable(`session ${sessionId} has no base commit`)
  const todo = await takeUp(shop, session)
  const stages = stagesOf(settings, todo)
  const branch = todo.length > 0 ? await openBranch(shop, session, { todo, base }, beat) : undefined
  const brief = todo.length > 0 ? await lay(shop, session, stages, EMPTY_BRIEF) : undefined
  const talk = talkOf(settings)
  await shop.store.sessions.update(sessionId, { status: talk ? 'analyzing' : 'generating' })
  await tell(shop, sessionId, [...planEvents(session, stages, branch), ...unseenEvents(shop, settings)])
  const { session_seconds: seconds } = settings.budgets
  return {
    queue: shop.hostQueue,
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
      wholeDiffScore: profile.whole_diff_score,
      fresh: settings.verification.fresh_checkout,
      prove: settings.verification.prove,
    },
    clocks: clocksOf(settings),
    talk,
    brief,
    attributes: shop.attributes,
    continueAfterEvents: settings.worker.history_events_before_continue,
    ...(seconds === null ? {} : { endsAt: Date.parse(record.started_at) + seconds * 1000 }),
  }
}

async function openBranch(
  shop: Workshop,
  session: Session,
  { todo, base }: { readonly todo: readonly IssueRecord[]; readonly base: string },
  beat: Beat,
): Promise<string> {
  const branch = await takeBranch(shop, session, todo, () => askForBranch(shop, session, todo, beat))
  const { repository } = session.record
  const directory = workspaceFolder(shop, session.id)
  const { signal } = beat
  await openWorkspace({ repository, base, branch, directory, ignore: session.settings.scope.artefacts, signal })
  return branch
}

/** A budget in dollars that can't see everything is still one; it says what it does not see. */
function unseenEvents(shop: Workshop, settings: Settings): NewEvent[] {
  const { budgets, prices } = settings
  if ((budgets.session_usd === null && budgets.issue_usd === null) || !isChallenged(settings)) return []
  const models = challengersOf(shop, settings).filter((model) => priceOf(prices, model) === undefined)
  if (models.length === 0) return []
  const message = `the budget in dollars does not see what ${models.join(' and ')} cost: there is no price of theirs (prices, or limit the tokens)`
  return [{ key: 'budget/unseen', type: 'fix_log', message, data: { models } }]
}

/** What people have a say in; undefined where the rules alone do. */
export function talkOf(settings: Settings): Talk | undefined {
  const { clarify, approve_plan: approvePlan, max_clarify_rounds, max_plan_rejections } = settings.people
  const planner = effectivePlanner(settings)
  if (!clarify && !approvePlan && planner === 'rules') return undefined
  const bounds = { maxClarifyRounds: max_clarify_rounds, maxPlanRejections: max_plan_rejections }
  return { clarify, planner, approvePlan, ...bounds }
}

function planEvents(session: Session, stages: readonly Stage[], branch: string | undefined): NewEvent[] {
  const batches = stages.flatMap((stage) => stage.batches)
  const events = batches.flatMap((batch) =>
    codesOfBatch(batch).map(
      (code): NewEvent => ({
        key: `${code}/analyzing`,
        type: 'fix_issue_analyzing',
        message: `planned into ${batch.label}`,
        ...aboutIssue(session, code),
      }),
    ),
  )
  const message = branch ? `${sizeOf(stages)}, onto ${branch}` : 'there is nothing to do'
  const plan: NewEvent = { key: 'plan', type: 'fix_plan_ready', message, data: { branch, batches: batchesOf(stages) } }
  return [...events, ...slicingEvents(session.settings, stages, 'plan'), plan]
}
