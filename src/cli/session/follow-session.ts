// Shows a session until it ends, or until it waits for a person and `noWait` is set. Events come from the store. An
// instance is kept alive meanwhile: if it dies, a successor is started and the session goes on.

import type { AppContext } from '../../app/context.ts'
import { attendSession } from '../../app/session/attend-session.ts'
import { reloadSessionState } from '../../app/session/load-session-state.ts'
import { readProgress } from '../../app/session/session-progress.ts'
import { loadResult } from '../../app/session/session-result.ts'
import { listEventsAfter, watchEvents } from '../../app/session/watch-session.ts'
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { FixSessionResult } from '../../domain/session/session.ts'
import type { SessionState } from '../../domain/session/session-state.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { eventFormatter, printNotice } from '../terminal/console.ts'
import { showProgress } from '../terminal/live-line.ts'
import { isInteractive } from '../terminal/prompt.ts'
import { ringOnNews } from '../terminal/ring.ts'
import { handleWaits } from './answer-while-following.ts'
import { handleInterrupts, type InterruptMode } from './interrupts.ts'

export interface FollowSessionOptions {
  readonly sessionId: string
  /** Settings for an instance, if one has to be started. */
  readonly settings: Settings
  /** Leaves when the session waits for a person. */
  readonly noWait?: boolean | undefined
  /** The number of the last event already seen. */
  readonly after?: number | undefined
  readonly interrupts?: InterruptMode | undefined
}

export type FollowResult =
  | { readonly kind: 'ended'; readonly result: FixSessionResult }
  | { readonly kind: 'waits'; readonly state: SessionState }
  | { readonly kind: 'left'; readonly sessionId: string }

export async function followSession(app: AppContext, options: FollowSessionOptions): Promise<FollowResult> {
  const { sessionId, settings, after = 0, noWait, interrupts = 'ask' } = options
  const attended = await attendSession(app, sessionId, settings)
  const { session, workflowUrl } = attended
  if (after === 0) printNotice(`session ${sessionId}${workflowUrl === undefined ? '' : `\n  ${workflowUrl}`}`)
  const left = new AbortController()
  const over = new AbortController()
  const { onInterrupt, stop: stopInterrupts } = handleInterrupts(app, session, interrupts, () => left.abort())
  const signal = AbortSignal.any([left.signal, over.signal, attended.hopeless])
  const mode = noWait ? 'leave' : isInteractive() ? 'ask' : 'tell'
  // The event loop below ends as soon as the waits are handled, even if that failed.
  const attending = handleWaits({ app, session, onInterrupt, signal }, mode).finally(() => over.abort())
  attending.catch(() => undefined)
  const formatEvent = eventFormatter(process.stderr)
  let seen = after
  const show = (event: SessionEvent): void => {
    seen = event.seq
    const line = formatEvent(event)
    if (line !== undefined) printNotice(line)
    ringOnNews(session, event)
  }
  const progress = showProgress(readProgress(app, sessionId))
  try {
    for await (const event of watchEvents(app, sessionId, { after, signal })) show(event)
    over.abort()
    const isShort = (await attending) === 'waits'
    if (isShort) for (const event of await listEventsAfter(app, sessionId, seen)) show(event)
  } finally {
    over.abort()
    progress.stop()
    stopInterrupts()
    attended.stop()
  }
  attended.hopeless.throwIfAborted()
  const state = await reloadSessionState(app, session)
  if (state.ended_at === null && (await attending) === 'waits') return { kind: 'waits', state }
  if (state.ended_at === null && left.signal.aborted) return { kind: 'left', sessionId }
  return { kind: 'ended', result: await loadResult(app, sessionId) }
}
