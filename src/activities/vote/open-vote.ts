// Opens a session of two votes: its clone is made once, before the voters begin at the same time.
import { activityInfo } from '@temporalio/activity'
import { fixVotesStarted } from '../../domain/session/events/vote-events.ts'
import { parseVotesTarget } from '../../domain/vote/vote-subject.ts'
import { formatWorkflowUrl, type OpenedVote } from '../../domain/workflow-types/index.ts'
import { detectSandboxLevel } from '../../platform/sandbox/enter-sandbox.ts'
import { assertSandboxAvailable } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, loadSession } from '../context.ts'
import { voteTimeoutsFromSettings } from '../open/timeouts.ts'
import { loadPinnedChange, loadVoteSubject } from './pinned-change.ts'
import { openClone } from './voter-checkouts.ts'

export async function openVote(
  context: ActivityContext,
  { sessionId }: { readonly sessionId: string },
): Promise<OpenedVote> {
  const session = await loadSession(context, sessionId)
  const { settings, record } = session
  const run_id = record.run_id ?? activityInfo().workflowExecution?.runId
  await context.store.sessions.update(sessionId, { run_id, status: 'validating' })
  await assertSandboxAvailable(context, session)
  const { base, head } = loadVoteSubject(session)
  const { gitDir } = await openClone(context, session)
  const { changes } = await loadPinnedChange(session, gitDir)
  await appendEvents(context, sessionId, [
    fixVotesStarted({
      repository: record.repository,
      base: base.name,
      base_commit: base.commit,
      head: head.name,
      head_commit: head.commit,
      files: changes.length,
      sandbox: await detectSandboxLevel(settings.sandbox),
      workflow_id: record.workflow_id,
      run_id,
      temporal_url: context.temporalUi && formatWorkflowUrl(context.temporalUi, record.workflow_id),
    }),
  ])
  await context.store.sessions.update(sessionId, { status: 'generating' })
  const { session_seconds: seconds } = settings.budgets
  const target = parseVotesTarget(record)
  return {
    queue: context.hostQueue,
    repository: record.repository,
    base: base.commit,
    head: head.commit,
    timeouts: voteTimeoutsFromSettings(settings),
    attributes: context.searchAttributes,
    showsWaits: true,
    senderKey: context.senderKey,
    ...(target ? { post: { ...target, github: settings.github } } : {}),
    ...(seconds === null ? {} : { endsAt: Date.parse(record.started_at) + seconds * 1000 }),
  }
}
