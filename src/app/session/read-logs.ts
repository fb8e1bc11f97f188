// Reads what happened in a session, or only for one issue of it: events, messages, agent calls, artifacts.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import {
  getEventStepId,
  listCallIssueCodes,
  listEventIssueCodes,
  type SessionEvent,
} from '../../domain/session/events/index.ts'
import { isWithinStep } from '../../domain/session/step-id.ts'
import type { AgentCallRecord, MessageRecord, SessionArtifact } from '../../domain/session/store-records.ts'
import type { AppContext } from '../context.ts'

export interface SessionLogs {
  readonly events: readonly SessionEvent[]
  /** Messages concern the whole session, so there are none if one issue is asked about. */
  readonly messages: readonly MessageRecord[]
  readonly calls: readonly AgentCallRecord[]
  /** The artifacts that belong to no call. */
  readonly artifacts: readonly SessionArtifact[]
}

const CALL_KINDS: ReadonlySet<string> = new Set(['prompt', 'reply', 'transcript'])

export async function readLogs(
  { store }: AppContext,
  sessionId: string,
  issue: string | undefined,
): Promise<SessionLogs> {
  const codes = (await store.sessions.listIssues(sessionId)).map((each) => each.issue.issue_code)
  if (issue !== undefined && !codes.includes(issue)) {
    const asked = codes.join(', ')
    throw new FixwrightError(
      'issue_not_found',
      `session ${sessionId} was not asked about ${issue}, only about ${asked}`,
    )
  }
  const [events, messages, calls, artifacts] = await Promise.all([
    store.events.listAll(sessionId),
    store.messages.listForSession(sessionId),
    store.agentCalls.listForSession(sessionId),
    store.artifacts.listForSession(sessionId),
  ])
  const own = artifacts.filter(({ kind }) => !CALL_KINDS.has(kind))
  if (issue === undefined) return { events, messages, calls, artifacts: own }
  const isWanted = matchStepsOfIssue(events, issue)
  return {
    events: events.filter((event) => isAbout(event, issue) || isWanted(getEventStepId(event))),
    messages: [],
    calls: calls.filter(({ key }) => isWanted(key)),
    artifacts: own.filter(({ issue_code, name }) => (issue_code === undefined ? isWanted(name) : issue_code === issue)),
  }
}

function isAbout(event: SessionEvent, issue: string): boolean {
  return event.issue_code === undefined ? listEventIssueCodes(event).includes(issue) : event.issue_code === issue
}

/** Only the start of a call names its issues; the step id of a repair extends that of its call. */
function matchStepsOfIssue(events: readonly SessionEvent[], issue: string): (key: string | undefined) => boolean {
  const keys = events.flatMap((event) =>
    event.type === 'fix_call_started' && listCallIssueCodes(event).includes(issue) ? [event.data.call] : [],
  )
  return (name) => name !== undefined && keys.some((key) => isWithinStep(name, key))
}
