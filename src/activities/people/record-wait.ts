// What a session says while it waits, and when it goes on: in its event log and in the store, for whoever looks at it. What people
// are asked, and what they answered or decided, by whom, when and from where, goes on record here.

import type { OpenRequest } from '../../domain/people/validate-messages.ts'
import type { RecordWaitInput, ResolvedRequest, WaitState } from '../../domain/protocol/index.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import type { OpenDecision, SessionWaiting } from '../../domain/session/session.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import { truncateText } from '../../domain/text/cut.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, issueEventFields, loadSession, type Session } from '../context.ts'
import { rememberAnswers } from '../plan/remembered-answers.ts'

export async function recordWait(context: ActivityContext, input: RecordWaitInput): Promise<void> {
  const session = await loadSession(context, input.sessionId)
  const { stepId, message, waiting, open, resolved } = input
  if (resolved) await rememberAnswers(context, session, resolved.answers)
  await appendEvents(context, session.id, [
    ...(open?.kind === 'clarification' ? open.questions.map((question) => questionEvent(session, question)) : []),
    ...(resolved ? requestClosedEvents(session, stepId, resolved) : []),
    waiting
      ? { key: stepId, type: 'fix_waiting', message, data: waitEventData(waiting) }
      : { key: stepId, type: 'fix_resumed', message },
  ])
  const isBack = !waiting && session.record.status === 'awaiting_clarification'
  const shown = {
    waiting: waiting ? toSessionWaiting(waiting) : null,
    decision: open ? await buildOpenDecision(context, session, open) : null,
  }
  await context.store.sessions.update(session.id, {
    ...(await context.masking.maskValues(shown)),
    ...(open ? { status: 'awaiting_clarification' } : isBack ? { status: 'generating' } : {}),
  })
}

function toSessionWaiting(waiting: WaitState): SessionWaiting {
  const { kind, since, until } = waiting
  return {
    kind,
    reason: waiting.for,
    since: new Date(since).toISOString(),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  }
}

function waitEventData({ kind, since, until, answer }: WaitState): Record<string, unknown> {
  return { kind, since, until, answer }
}

async function buildOpenDecision(
  { store }: ActivityContext,
  session: Session,
  open: OpenRequest,
): Promise<OpenDecision> {
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
      const name = formatStepPart(request, { kind: 'scope' })
      const [diff] = await store.artifacts.listForSession(session.id, { kind: 'diff', name })
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

const MAX_ANSWER_CHARACTERS = 500

function questionEvent(session: Session, { id, code, question, context }: OpenQuestion): NewEvent {
  const about = code === undefined ? {} : issueEventFields(session, code)
  const message = `${id}: ${question}`
  return { key: `question/${id}`, type: 'fix_clarification_needed', message, data: { id, question, context }, ...about }
}

type OpenQuestion = (OpenRequest & { kind: 'clarification' })['questions'][number]

function requestClosedEvents(
  session: Session,
  stepId: string,
  { kind, resolution, reason, answers, decidedBy }: ResolvedRequest,
): NewEvent[] {
  const events = answers.map(({ id, code, answer, by, from, at }): NewEvent => {
    const about = code === undefined ? {} : issueEventFields(session, code)
    const words = truncateText(answer, MAX_ANSWER_CHARACTERS)
    const message = `${id}, ${by} (${from}): ${words}`
    const data = { id, answer: words, by, from, at: new Date(at).toISOString() }
    return { key: `answer/${id}`, type: 'fix_clarification_received', message, data, ...about }
  })
  const { by, from, at } = decidedBy
  const data = {
    how: resolution,
    ...(reason ? { reason: truncateText(reason, MAX_ANSWER_CHARACTERS) } : {}),
    by,
    from,
    at: new Date(at).toISOString(),
  }
  const who = resolution === 'deadline' ? 'nobody answered in time' : `${by} (${from})`
  if (kind === 'clarification' && resolution !== 'answered') {
    const rest = { skipped: 'the rest is skipped, ', cancelled: 'cancelled before the rest was answered, ' }
    const message = resolution === 'skipped' || resolution === 'cancelled' ? `${rest[resolution]}${who}` : who
    return [...events, { key: `${stepId}/settled`, type: 'fix_clarification_received', message, data }]
  }
  if (kind === 'plan') {
    const message = resolution === 'deadline' ? who : `${resolution}, ${who}${data.reason ? `: ${data.reason}` : ''}`
    return [...events, { key: `${stepId}/settled`, type: 'fix_plan_decided', message, data }]
  }
  return events
}
