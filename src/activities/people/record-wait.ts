// What a session says while it waits, and when it goes on: in its event log and in the store, for whoever looks at it. What people
// are asked, and what they answered or decided, by whom, when and from where, goes on record here.

import type { OpenRequest } from '../../domain/people/validate-messages.ts'
import type { NoteInput, SettledRequest, Waiting } from '../../domain/protocol/index.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import type { OpenDecision, SessionWaiting } from '../../domain/session/session.ts'
import { cut } from '../../domain/text/cut.ts'
import { tell } from '../append-events.ts'
import { aboutIssue, loadSession, type Session, type Workshop } from '../context.ts'
import { keepAnswers } from '../plan/remembered-answers.ts'

export async function note(shop: Workshop, input: NoteInput): Promise<void> {
  const session = await loadSession(shop, input.sessionId)
  const { call, message, waiting, open, settled } = input
  if (settled) await keepAnswers(shop, session, settled.answers)
  await tell(shop, session.id, [
    ...(open?.kind === 'clarification' ? open.questions.map((question) => questionEvent(session, question)) : []),
    ...(settled ? settledEvents(session, call, settled) : []),
    waiting
      ? { key: call, type: 'fix_waiting', message, data: waitingData(call, waiting) }
      : { key: call, type: 'fix_resumed', message },
  ])
  const isBack = !waiting && session.record.status === 'awaiting_clarification'
  const shown = {
    waiting: waiting ? shownWaiting(call, waiting) : null,
    decision: open ? await decisionOf(shop, session, open) : null,
  }
  await shop.store.sessions.update(session.id, {
    ...(await shop.masking.values(shown)),
    ...(open ? { status: 'awaiting_clarification' } : isBack ? { status: 'generating' } : {}),
  })
}

/** Earlier versions did not say. */
function kindOf(call: string, { kind }: Waiting): SessionWaiting['kind'] {
  return kind ?? (call.includes('commit') ? 'branch' : 'limit')
}

function shownWaiting(call: string, waiting: Waiting): SessionWaiting {
  const { since, until } = waiting
  return {
    kind: kindOf(call, waiting),
    reason: waiting.for,
    since: new Date(since).toISOString(),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  }
}

function waitingData(call: string, waiting: Waiting): Record<string, unknown> {
  const { since, until, answer } = waiting
  return { kind: kindOf(call, waiting), since, until, answer }
}

async function decisionOf({ store }: Workshop, session: Session, open: OpenRequest): Promise<OpenDecision> {
  const { request } = open
  switch (open.kind) {
    case 'clarification': {
      const questions = open.questions.map(({ id, code, question, context }) => ({
        ...(code === undefined ? {} : { issue_code: code }),
        id,
        question,
        context,
      }))
      return { kind: open.kind, request, questions }
    }
    case 'plan':
      return { kind: open.kind, request }
    case 'scope': {
      // The request is the call whose changes are in question; what they are was kept under its name.
      const [diff] = await store.artifacts.ofSession(session.id, { kind: 'diff', name: `${request}.scope` })
      const files = open.files.map(({ path, why, codes }) => ({ path, why, issue_codes: [...codes] }))
      return {
        kind: open.kind,
        request,
        files,
        ...(open.more > 0 ? { more: open.more } : {}),
        ...(diff ? { diff_ref: diff.ref } : {}),
      }
    }
  }
}

const MOST_OF_AN_ANSWER = 500

function questionEvent(session: Session, { id, code, question, context }: OpenQuestion): NewEvent {
  const about = code === undefined ? {} : aboutIssue(session, code)
  const message = `${id}: ${question}`
  return { key: `question/${id}`, type: 'fix_clarification_needed', message, data: { id, question, context }, ...about }
}

type OpenQuestion = (OpenRequest & { kind: 'clarification' })['questions'][number]

function settledEvents(
  session: Session,
  call: string,
  { kind, how, reason, answers, decided }: SettledRequest,
): NewEvent[] {
  const events = answers.map(({ id, code, answer, by, from, at }): NewEvent => {
    const about = code === undefined ? {} : aboutIssue(session, code)
    const words = cut(answer, MOST_OF_AN_ANSWER)
    const message = `${id}, ${by} (${from}): ${words}`
    const data = { id, answer: words, by, from, at: new Date(at).toISOString() }
    return { key: `answer/${id}`, type: 'fix_clarification_received', message, data, ...about }
  })
  const { by, from, at } = decided
  const data = {
    how,
    ...(reason ? { reason: cut(reason, MOST_OF_AN_ANSWER) } : {}),
    by,
    from,
    at: new Date(at).toISOString(),
  }
  const who = how === 'deadline' ? 'nobody answered in time' : `${by} (${from})`
  if (kind === 'clarification' && how !== 'answered') {
    const rest = { skipped: 'the rest is skipped, ', cancelled: 'cancelled before the rest was answered, ' }
    const message = how === 'skipped' || how === 'cancelled' ? `${rest[how]}${who}` : who
    return [...events, { key: `${call}/settled`, type: 'fix_clarification_received', message, data }]
  }
  if (kind === 'plan') {
    const message = how === 'deadline' ? who : `${how}, ${who}${data.reason ? `: ${data.reason}` : ''}`
    return [...events, { key: `${call}/settled`, type: 'fix_plan_decided', message, data }]
  }
  return events
}
