// Stops a session for good; commits stay, the current attempt goes. One without a workflow is closed in the store.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { findLiveInstance } from '../../runtime/instance/instance-file.ts'
import { followEvents } from '../../store/follow-events.ts'
import type { AppContext } from '../context.ts'
import { loadSessionSettings } from '../settings/load-settings.ts'
import { sendToSession } from './send-message.ts'
import { waitUntilStarted } from './wait-until-started.ts'

/** Ending a CLI takes its grace period, and a dead worker must first be noticed and replaced. */
const END_WITHIN_MS = 120_000
/** A command that put a session down, and lost its instance, has another instance by then. */
const STARTING_MS = 60_000

export interface CancelRequest {
  readonly reason?: string | undefined
  /** Called for each event until the session's end. */
  readonly onEvent: (event: SessionEvent) => void
}

/** Returns the ended session; undefined if it had never started and was forgotten. */
export async function cancelSession(
  app: AppContext,
  session: SessionRecord,
  request: CancelRequest,
): Promise<SessionRecord | undefined> {
  const { store, onProgress } = app
  const { session_id: id } = session
  if (await discardLostStart(app, session)) return undefined
  if (session.ended_at === undefined) await cancelAndWait(app, session, request)
  else onProgress(`session ${id} has ended already: ${session.status}`, 'note')
  return await store.sessions.get(id)
}

/** Starting an instance would start the session, too: one that nobody starts any more is forgotten. */
async function discardLostStart({ home, store }: AppContext, session: SessionRecord): Promise<boolean> {
  if (!isStartLate(session) || findLiveInstance(home) !== undefined) return false
  return await store.sessions.discardUnstarted(session.session_id)
}

function isStartLate({ run_id, started_at, ended_at }: SessionRecord): boolean {
  return run_id === undefined && ended_at === undefined && Date.now() - Date.parse(started_at) > STARTING_MS
}

async function cancelAndWait(app: AppContext, session: SessionRecord, request: CancelRequest): Promise<void> {
  const { store, instance, onProgress } = app
  const { session_id: id } = session
  const seen = (await store.events.findLast(id))?.seq ?? 0
  const connected = await instance.connect(await loadSessionSettings(app, session))
  await connected.reconcile()
  await waitUntilStarted(app, session)
  const { isSessionRunning } = await import('../../client/describe-workflow.ts')
  const isRunning = await isSessionRunning(connected.client, session)
  if (isRunning) {
    onProgress(describeCancelling(id), 'note')
    const { reason } = request
    const result = await sendToSession(app, session, 'cancel', reason === undefined ? {} : { reason })
    if (result.kind === 'refused') onProgress(result.reason, 'note')
    for await (const event of followEvents(store, id, { after: seen, signal: AbortSignal.timeout(END_WITHIN_MS) })) {
      request.onEvent(event)
    }
  }
  // One that Temporal does not take would else be started once it does.
  if (isStartLate(session)) await store.sessions.discardUnstarted(id)
  const current = await store.sessions.get(id)
  if (current !== undefined && current.ended_at === undefined) throw notCancelledYet(id, isRunning)
}

export function describeCancelling(sessionId: string): string {
  return `cancelling session ${sessionId}: committed stages stay, the attempt in work is taken back`
}

function notCancelledYet(id: string, wasRunning: boolean): FixwrightError {
  const why = wasRunning
    ? `it has not ended within ${END_WITHIN_MS / 1000} s, but it was told to; "fixwright watch ${id}" shows whether it does`
    : 'its workflow has not started yet; try again in a minute'
  return new FixwrightError('still_running', `session ${id} is not cancelled yet: ${why}`)
}
