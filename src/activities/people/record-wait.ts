// Records when a session waits and goes on, and the answers and decisions of people: by whom, when and from where.

import type { OpenRequest } from '../../domain/people/validate-messages.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import {
  fixClarificationClosed,
  fixClarificationNeeded,
  fixClarificationReceived,
  fixPlanDecided,
} from '../../domain/session/events/people-events.ts'
import { fixResumed, fixWaiting } from '../../domain/session/events/wait-events.ts'
import type { OpenDecision, SessionWaiting } from '../../domain/session/session.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import type { RecordWaitInput, ResolvedRequest, WaitState } from '../../domain/workflow-types/index.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, loadSession, questionEventFields, type Session } from '../context.ts'
import { rememberAnswers } from '../plan/remembered-answers.ts'
import { signalCommand } from './signal-command.ts'

export async function recordWait(context: ActivityContext, input: RecordWaitInput): Promise<void> {
  const session = await loadSession(context, input.sessionId)
  const { stepId, reason, waiting, open, resolved, shows = { waiting, open } } = input
  if (resolved) await rememberAnswers(context, session, resolved.answers)
  await appendEvents(context, session.id, [
    ...(open?.kind === 'clarification'
      ? open.questions.map((question) => fixClarificationNeeded(question, questionEventFields(session, question)))
      : []),
    ...(resolved ? requestClosedEvents(session, stepId, resolved) : []),
    waiting ? fixWaiting(stepId, toWaitFacts(waiting)) : fixResumed({ stepId, reason, resolved }),
  ])
  const isBack = !shows.open && !waiting && session.record.status === 'awaiting_clarification'
  const shown = {
    waiting: shows.waiting ? toSessionWaiting(shows.waiting) : null,
    decision: shows.open ? await buildOpenDecision(context, session, shows.open) : null,
  }
  await context.store.sessions.update(session.id, {
    ...(await context.masking.maskValues(shown)),
    ...(shows.open
      ? { status: 'awaiting_clarification' }
      : isBack
        ? { status: resolved && resolved.kind !== 'scope' ? 'analyzing' : 'generating' }
        : {}),
  })
  await signalCommand(session.record)
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

function toWaitFacts({ kind, for: reason, since, until, answer }: WaitState) {
  return { kind, reason, since, until, answer }
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
      // The request is the step whose changes need approval; their diff is stored under an id of that step.
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

function requestClosedEvents(
  session: Session,
  stepId: string,
  { kind, resolution, reason, answers, decidedBy }: ResolvedRequest,
): NewEvent[] {
  const events = answers.map((each) => fixClarificationReceived(each, questionEventFields(session, each)))
  const end = { stepId, how: resolution, reason, decidedBy }
  if (kind === 'plan') return [...events, fixPlanDecided(end)]
  return kind === 'clarification' && resolution !== 'answered' ? [...events, fixClarificationClosed(end)] : events
}
