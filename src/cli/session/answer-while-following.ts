// While a session is followed: when it waits for a person it asks the one at this terminal, or says what it waits for and how to
// answer, or leaves. It goes by the store, so it also sees what people settle elsewhere; a question that is open here then closes.

import { type SessionState, stateOf } from '../../app/session-state.ts'
import { type SessionRecord, waitsForPerson } from '../../domain/session/session.ts'
import type { Home } from '../../runtime/home/home.ts'
import type { Store } from '../../store/store.ts'
import { changesOf } from '../../store/watch-changes.ts'
import { say } from '../terminal/console.ts'
import { describeWait } from '../terminal/describe-decision.ts'
import { askAbout, type Item, isStillOpen, nextItem, type Send } from './ask-person.ts'

export interface Attending {
  readonly store: Store
  readonly home: Home
  readonly sessionId: string
  readonly send: Send
  /** Ctrl-C while a question is open. */
  readonly onInterrupt: () => void
  readonly signal: AbortSignal
}

const LOOK_MS = 120

/** `waits`: it waits for a person, and nobody is to be asked. */
export async function attend(attending: Attending, mode: 'ask' | 'tell' | 'leave'): Promise<'waits' | 'over'> {
  const { store, home } = attending
  const leftOpen = new Set<string>()
  let told: string | undefined
  for await (const session of recordsOf(attending)) {
    // Its events are shown to the last one: who shows them knows when that was.
    if (session.ended_at !== undefined) continue
    if (!waitsForPerson(session)) continue
    if (mode === 'leave') return 'waits'
    const wait = `${session.waiting?.kind}/${session.decision?.request}`
    const state = await stateOf(store, home, session)
    if (mode === 'ask' && nextItem(state, leftOpen)) await askAll(attending, state, leftOpen)
    else if (wait !== told) {
      say(describeWait(state))
      told = wait
    }
  }
  return 'over'
}

/** What is open now, one thing after another, until all is settled, or left open by the person. */
export async function askAll(attending: Attending, first: SessionState, leftOpen = new Set<string>()): Promise<void> {
  let state: SessionState | undefined = first
  while (state?.request === first.request && !attending.signal.aborted) {
    const item = nextItem(state, leftOpen)
    if (item === undefined) return
    const gone = whenGone(attending, item)
    const asked = await askAbout(item, { state, send: attending.send, signal: gone.signal })
    gone.stopLooking()
    if (asked === 'interrupted') attending.onInterrupt()
    if (asked === 'closed' && !attending.signal.aborted) say('that is settled: somebody else was faster')
    if (asked === 'said' || asked === 'later') leftOpen.add(item.key)
    state = await currentState(attending)
  }
}

/** Aborts when the item is open no more. */
function whenGone(attending: Attending, item: Item): { readonly signal: AbortSignal; stopLooking(): void } {
  const { store, home } = attending
  const gone = new AbortController()
  const looking = new AbortController()
  const signal = AbortSignal.any([attending.signal, looking.signal])
  const look = async (): Promise<void> => {
    for await (const session of recordsOf({ ...attending, signal })) {
      if (!isStillOpen(item, await stateOf(store, home, session))) return gone.abort()
    }
  }
  look().catch((error: Error) => say(`looking after the session failed: ${error.message}`))
  return { signal: AbortSignal.any([gone.signal, attending.signal]), stopLooking: () => looking.abort() }
}

/** The session as it is, then after each change. */
async function* recordsOf(at: Pick<Attending, 'store' | 'sessionId' | 'signal'>): AsyncGenerator<SessionRecord> {
  for await (const _ of changesOf(at.store, { signal: at.signal, intervalMs: LOOK_MS })) {
    const session = await at.store.sessions.get(at.sessionId)
    if (session === undefined) return
    yield session
  }
}

async function currentState({ store, home, sessionId }: Attending): Promise<SessionState | undefined> {
  const session = await store.sessions.get(sessionId)
  return session && (await stateOf(store, home, session))
}
