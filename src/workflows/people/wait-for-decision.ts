// Waits of a session: they survive everything and cost nothing, and while they last they are on show, in words, wherever somebody
// may look: in the store, in the query, in Temporal's own UI. A wait for a person says which command answers it.
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow'
import type { Answered, OpenRequest } from '../../domain/people/validate-messages.ts'
import type { OpenedSession, SettledRequest, Waiting } from '../../domain/protocol/index.ts'
import { type ScopeVerdict, type WaitPorts, WEEK_SECONDS } from '../stage/ports.ts'
import { hostActivities } from '../temporal/activity-options.ts'
import { type MutableView, publish } from '../temporal/search-attributes-and-details.ts'
import type { SessionTime } from '../temporal/session-deadline.ts'
import type { Desk, Settled } from './message-handlers.ts'

/** A session at work: what waits and ports need of it. */
export interface Underway {
  readonly sessionId: string
  readonly opened: OpenedSession
  readonly desk: Desk
  readonly time: SessionTime
  show(change: Partial<MutableView>): void
}

export function waitPorts(at: Underway): WaitPorts {
  return {
    wait: async (call, why, until) => {
      const kind = call.includes('commit') ? 'branch' : 'limit'
      const waiting: Waiting = { kind, for: why, since: Date.now(), until }
      await begin(at, call, waiting)
      await sleep(Math.max(until - Date.now(), 1))
      await end(at, call, waiting)
      // Only a person switches the branch that is checked out.
      if (kind === 'branch') at.time.waited(Date.now() - waiting.since)
    },
    now: () => Date.now(),
    endsAt: () => at.time.endsAt(),
  }
}

/** Returns when people have decided, or their time is over. */
export async function askPeople(at: Underway, call: string, open: OpenRequest, seconds: number): Promise<Settled> {
  const since = Date.now()
  const until = since + seconds * 1000
  const waiting: Waiting = { kind: open.kind, for: wordsFor(open), answer: commandFor(at, open), since, until }
  // Answers count from here on, also those that come before it is on record that they are waited for.
  at.desk.open(open)
  const answers = (): Answered[] => at.desk.dialogue().answered.filter(({ id }) => isAbout(open, id))
  const { kind } = open
  try {
    await begin(at, `${call}.asked`, waiting, open)
    const settled = await at.desk.settled(until)
    at.time.waited(Date.now() - since)
    await end(at, `${call}.asked`, waiting, { ...howOf(settled), kind, answers: answers(), decided: settled.decided })
    return settled
  } catch (error) {
    // Whoever answered a part of it need not do so again when the same issue comes back.
    if (isCancellation(error) && answers().length > 0) {
      const decided = at.desk.cancelled() ?? { by: 'somebody', from: 'Temporal', at: Date.now() }
      const over = { kind, how: 'cancelled', answers: answers(), decided } as const
      await CancellationScope.nonCancellable(() => end(at, `${call}.asked`, waiting, over))
    }
    throw error
  }
}

/** What a call of the fixer changed where only a person may let it. */
export async function decideScope(at: Underway, call: string): Promise<ScopeVerdict> {
  const { sessionId, opened } = at
  const asking = hostActivities(opened, 'git', `what ${call} changed outside of its scope`)
  const { files, more } = await asking.askScope({ sessionId, call })
  if (files.length === 0) return { barred: [], reason: '' }
  const seconds = opened.clocks.scopeSeconds ?? WEEK_SECONDS
  const settled = await askPeople(at, `${call}.scope`, { kind: 'scope', request: call, files, more }, seconds)
  const { decided } = settled
  const decision = settled.kind === 'scope' ? settled.decision : ({ decision: 'deadline' } as const)
  const settling = hostActivities(opened, 'git', `settle what ${call} changed outside of its scope`)
  const { barred } = await settling.settleScope({ sessionId, call, decision, decided })
  const { how, reason } = howOf(settled)
  const who = how === 'deadline' ? 'nobody decided in time' : `not approved by ${decided.by}`
  return { barred, reason: `changes outside of the scope (${named(files)}): ${who}${reason ? `: ${reason}` : ''}` }
}

async function begin(at: Underway, call: string, waiting: Waiting, open?: OpenRequest): Promise<void> {
  at.show({ phase: 'waiting', waiting })
  publish(at.opened.attributes, { FixAwaiting: waiting.for })
  const noting = hostActivities(at.opened, 'git', `waiting: ${waiting.for}`.slice(0, 100))
  const message = waiting.for
  await noting.note({ sessionId: at.sessionId, call, message, waiting, ...(open ? { open } : {}) })
}

async function end(at: Underway, call: string, waiting: Waiting, settled?: SettledRequest): Promise<void> {
  at.show({ phase: 'going on', waiting: undefined })
  publish(at.opened.attributes, { FixAwaiting: null })
  const noting = hostActivities(at.opened, 'git', 'the wait is over')
  const message = settled ? howItEnded(settled) : `goes on: ${waiting.for}`
  await noting.note({ sessionId: at.sessionId, call: `${call}.over`, message, ...(settled ? { settled } : {}) })
}

function wordsFor(open: OpenRequest): string {
  switch (open.kind) {
    case 'clarification':
      return `an answer to ${count(open.questions.length, 'question')}: ${open.questions[0]?.question.slice(0, 120) ?? ''}`
    case 'plan':
      return `a decision about the plan for ${count(open.codes.length, 'issue')}`
    case 'scope':
      return `a decision about ${count(open.files.length + open.more, 'file')} outside of the scope: ${named(open.files)}`
  }
}

function commandFor({ sessionId }: Underway, { kind }: OpenRequest): string {
  const command = { clarification: 'answer', plan: 'plan', scope: 'scope' }[kind]
  return `fixwright ${command} ${sessionId}`
}

function howOf(settled: Settled): Pick<SettledRequest, 'how' | 'reason'> {
  if (settled.kind !== 'plan' && settled.kind !== 'scope') return { how: settled.kind }
  const { decision } = settled
  return decision.decision === 'reject' ? { how: 'reject', reason: decision.reason } : { how: decision.decision }
}

function howItEnded({ kind, how, decided }: SettledRequest): string {
  if (how === 'deadline') return `nobody decided in time about the ${kind}`
  if (how === 'cancelled')
    return `the session was cancelled by ${decided.by} (${decided.from}) while the ${kind} was open`
  return `the ${kind} was decided by ${decided.by} (${decided.from}): ${how}`
}

function isAbout(open: OpenRequest, id: string): boolean {
  return open.kind === 'clarification' && open.questions.some((question) => question.id === id)
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

function named(files: readonly { readonly path: string }[]): string {
  const paths = files.slice(0, 3).map(({ path }) => path)
  return `${paths.join(', ')}${files.length > 3 ? ', …' : ''}`
}
