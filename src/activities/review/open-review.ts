// Opens a review: a private clone at the pinned commit, what changed in it, and the experts whose lanes that concerns.
import { ApplicationFailure, activityInfo } from '@temporalio/activity'
import { chooseExperts, type ExpertName } from '../../domain/review/experts.ts'
import { logReviewOpened } from '../../domain/session/events/logs/review-logs.ts'
import { fixSessionStarted } from '../../domain/session/events/session-events.ts'
import { effectiveIterations } from '../../domain/settings/schema.ts'
import { formatWorkflowUrl, type OpenedReview } from '../../domain/workflow-types/index.ts'
import { openWorkspace } from '../../platform/git/workspace/workspace.ts'
import { detectSandboxLevel } from '../../platform/sandbox/enter-sandbox.ts'
import { assertSandboxAvailable } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, loadSession, type Session, workspaceFolder } from '../context.ts'
import { timeoutsFromSettings } from '../open/timeouts.ts'
import { type LoadedChange, loadChange } from './load-change.ts'

/** The branch of the clone while it is reviewed, which nobody but us sees. */
export const REVIEW_BRANCH = 'review'

export async function openReview(
  context: ActivityContext,
  { sessionId }: { readonly sessionId: string },
): Promise<OpenedReview> {
  const session = await loadSession(context, sessionId)
  const { record, settings } = session
  const run_id = record.run_id ?? activityInfo().workflowExecution?.runId
  await context.store.sessions.update(sessionId, { run_id, status: 'validating' })
  await assertSandboxAvailable(context, session)
  const { repository, base_commit: head, workflow_id } = record
  if (head === undefined) throw ApplicationFailure.nonRetryable(`session ${sessionId} has no commit to review`)
  await appendEvents(context, sessionId, [
    fixSessionStarted(
      {
        kind: record.kind,
        repository,
        profile: settings.profile,
        max_iterations: record.kind === 'review' ? 0 : effectiveIterations(settings),
        base: head,
        sandbox: await detectSandboxLevel(settings.sandbox),
        budgets: settings.budgets,
        workflow_id,
        run_id,
        temporal_url: context.temporalUi && formatWorkflowUrl(context.temporalUi, workflow_id),
      },
      0,
    ),
  ])
  const directory = workspaceFolder(context, sessionId)
  const ignore = record.kind === 'review' ? [] : settings.scope.artefacts
  const workspace = await openWorkspace({ repository, base: head, branch: REVIEW_BRANCH, directory, ignore })
  const change = await loadChange(session, workspace)
  const experts = listExperts(session, change)
  const { base, changes } = change
  await appendEvents(context, sessionId, [logReviewOpened({ head, base, files: changes.length, experts })])
  await context.store.sessions.update(sessionId, { status: 'analyzing' })
  const { session_seconds: seconds } = settings.budgets
  return {
    queue: context.hostQueue,
    repository,
    head,
    base,
    files: changes.length,
    experts,
    timeouts: timeoutsFromSettings(settings),
    attributes: context.searchAttributes,
    showsWaits: true,
    senderKey: context.senderKey,
    ...(seconds === null ? {} : { endsAt: Date.parse(record.started_at) + seconds * 1000 }),
  }
}

/** Experts that the settings name replace those whose lanes the change concerns. */
export function listExperts({ settings }: Session, { changes, options }: LoadedChange): ExpertName[] {
  const { experts } = settings.review
  return chooseExperts(
    changes.map(({ path }) => path),
    { asked: experts.length > 0 ? experts : undefined, hasSpec: options.spec !== undefined },
  )
}
