// Handles the waits of a followed session: asks the person at this terminal, prints how to answer, or leaves. It
// watches the store, so a question closes here when somebody answers it elsewhere.

import type { AppContext } from '../../app/context.ts'
import { loadSessionState, reloadSessionState } from '../../app/session/load-session-state.ts'
import { sendToSession } from '../../app/session/send-message.ts'
import { isWaitingForPerson } from '../../app/session/session-overview.ts'
import { watchSession } from '../../app/session/watch-session.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { SessionState } from '../../domain/session/session-state.ts'
import { printNotice } from '../terminal/console.ts'
import { describeWait } from '../terminal/describe-decision.ts'
import { askItem, findNextItem, isItemOpen, type OpenItem, printMessageResult } from './ask-person.ts'

export interface FollowContext {
  readonly app: AppContext
  readonly session: SessionRecord
  /** Called on Ctrl-C while a question is open. */
  readonly onInterrupt: () => void | Promise<void>
  readonly signal: AbortSignal
}

/** `waits`: the session waits for a person, and nobody here is asked. */
export async function handleWaits(attending: FollowContext, mode: 'ask' | 'tell' | 'leave'): Promise<'waits' | 'over'> {
  const { app, signal } = attending
  const leftOpen = new Set<string>()
  let announced: string | undefined
  for await (const session of watchSession(app, attending.session.session_id, signal)) {
    // The session has ended, but its events are still being printed: the follower aborts the signal after the last one.
    if (session.ended_at !== undefined) continue
    if (!isWaitingForPerson(session)) continue
    if (mode === 'leave') return 'waits'
    const wait = `${session.waiting?.kind}/${session.decision?.request}/${session.waiting?.since}`
    const state = await loadSessionState(app, session)
    if (mode === 'ask' && findNextItem(state, leftOpen)) await askOpenItems({ ...attending, session }, state, leftOpen)
    else if (wait !== announced) {
      printNotice(describeWait(state))
      announced = wait
    }
  }
  return 'over'
}

/** Asks about all items that are open in `attending.session`, one after another, until each is decided or left open. */
export async function askOpenItems(
  attending: FollowContext,
  first: SessionState,
  leftOpen = new Set<string>(),
): Promise<void> {
  const { app, session } = attending
  let state = first
  while (state.request === first.request && !attending.signal.aborted) {
    const item = findNextItem(state, leftOpen)
    if (item === undefined) return
    const gone = watchItem(attending, item)
    const asked = await askItem(item, {
      state,
      send: async (name, message) => printMessageResult(await sendToSession(app, session, name, message)),
      signal: gone.signal,
    })
    gone.stopLooking()
    if (asked === 'interrupted') await attending.onInterrupt()
    if (asked === 'closed' && !attending.signal.aborted) printNotice('that is settled: somebody else was faster')
    if (asked === 'said' || asked === 'later') leftOpen.add(item.key)
    state = await reloadSessionState(app, session)
  }
}

/** Aborts its signal when the item is no longer open. */
function watchItem(attending: FollowContext, item: OpenItem): { readonly signal: AbortSignal; stopLooking(): void } {
  const { app, session } = attending
  const gone = new AbortController()
  const looking = new AbortController()
  const signal = AbortSignal.any([attending.signal, looking.signal])
  const look = async (): Promise<void> => {
    for await (const now of watchSession(app, session.session_id, signal)) {
      if (!isItemOpen(item, await loadSessionState(app, now))) return gone.abort()
    }
  }
  look().catch((error: Error) => printNotice(`looking after the session failed: ${error.message}`))
  return { signal: AbortSignal.any([gone.signal, attending.signal]), stopLooking: () => looking.abort() }
}
