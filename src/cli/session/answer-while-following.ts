// While a session is followed: when it waits for a person it asks the one at this terminal, or says what it waits for and how to
// answer, or leaves. It goes by the store, so it also sees what people settle elsewhere; a question that is open here then closes.

import { loadSessionState, type SessionState } from '../../app/session/session-state.ts'
import { isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import type { Home } from '../../runtime/home/home.ts'
import type { Store } from '../../store/store.ts'
import { printNotice } from '../terminal/console.ts'
import { describeWait } from '../terminal/describe-decision.ts'
import { askItem, findNextItem, isItemOpen, type OpenItem, type SendToSession } from './ask-person.ts'

export interface FollowContext {
  readonly store: Store
  readonly home: Home
  readonly sessionId: string
  readonly send: SendToSession
  /** Ctrl-C while a question is open. */
  readonly onInterrupt: () => void
  readonly signal: AbortSignal
}

/** `waits`: it waits for a person, and nobody is to be asked. */
export async function handleWaits(attending: FollowContext, mode: 'ask' | 'tell' | 'leave'): Promise<'waits' | 'over'> {
  const { store, home } = attending
  const leftOpen = new Set<string>()
  let announced: string | undefined
  for await (const session of watchSessionRecord(attending)) {
    // Its events are shown to the last one: who shows them knows when that was.
    if (session.ended_at !== undefined) continue
    if (!isWaitingForPerson(session)) continue
    if (mode === 'leave') return 'waits'
    const wait = `${session.waiting?.kind}/${session.decision?.request}`
    const state = await loadSessionState(store, home, session)
    if (mode === 'ask' && findNextItem(state, leftOpen)) await askOpenItems(attending, state, leftOpen)
    else if (wait !== announced) {
      printNotice(describeWait(state))
      announced = wait
    }
  }
  return 'over'
}

/** What is open now, one thing after another, until all is settled, or left open by the person. */
export async function askOpenItems(
  attending: FollowContext,
  first: SessionState,
  leftOpen = new Set<string>(),
): Promise<void> {
  let state: SessionState | undefined = first
  while (state?.request === first.request && !attending.signal.aborted) {
    const item = findNextItem(state, leftOpen)
    if (item === undefined) return
    const gone = watchItem(attending, item)
    const asked = await askItem(item, { state, send: attending.send, signal: gone.signal })
    gone.stopLooking()
    if (asked === 'interrupted') attending.onInterrupt()
    if (asked === 'closed' && !attending.signal.aborted) printNotice('that is settled: somebody else was faster')
    if (asked === 'said' || asked === 'later') leftOpen.add(item.key)
    state = await loadCurrentState(attending)
  }
}

/** Aborts when the item is open no more. */
function watchItem(attending: FollowContext, item: OpenItem): { readonly signal: AbortSignal; stopLooking(): void } {
  const { store, home } = attending
  const gone = new AbortController()
  const looking = new AbortController()
  const signal = AbortSignal.any([attending.signal, looking.signal])
  const look = async (): Promise<void> => {
    for await (const session of watchSessionRecord({ ...attending, signal })) {
      if (!isItemOpen(item, await loadSessionState(store, home, session))) return gone.abort()
    }
  }
  look().catch((error: Error) => printNotice(`looking after the session failed: ${error.message}`))
  return { signal: AbortSignal.any([gone.signal, attending.signal]), stopLooking: () => looking.abort() }
}

/** The session as it is, then after each change. */
async function* watchSessionRecord(
  at: Pick<FollowContext, 'store' | 'sessionId' | 'signal'>,
): AsyncGenerator<SessionRecord> {
  for await (const _ of at.store.watch({ signal: at.signal })) {
    const session = await at.store.sessions.get(at.sessionId)
    if (session === undefined) return
    yield session
  }
}

async function loadCurrentState({ store, home, sessionId }: FollowContext): Promise<SessionState | undefined> {
  const session = await store.sessions.get(sessionId)
  return session && (await loadSessionState(store, home, session))
}
