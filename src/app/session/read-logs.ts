// What happened in a session, or what of it was about one issue: its events, what people said, every call of an agent, and where its
// artifacts lie.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import {
  getEventStepId,
  listCallIssueCodes,
  listEventIssueCodes,
  type SessionEvent,
} from '../../domain/session/events/index.ts'
import type { AgentCallRecord, MessageRecord, SessionArtifact } from '../../domain/session/records.ts'
import { isWithinStep } from '../../domain/session/step-id.ts'
import type { AppContext } from '../context.ts'

export interface SessionLogs {
  readonly events: readonly SessionEvent[]
  /** What was said about the whole session; none where only one issue is asked about. */
  readonly messages: readonly MessageRecord[]
  readonly calls: readonly AgentCallRecord[]
  /** Those that belong to no call. */
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

/** A call says its issues when it starts; a repair of it has its key with something after it. */
function matchStepsOfIssue(events: readonly SessionEvent[], issue: string): (key: string | undefined) => boolean {
  const keys = events.flatMap((event) =>
    event.type === 'fix_call_started' && listCallIssueCodes(event).includes(issue) ? [event.data.call] : [],
  )
  return (name) => name !== undefined && keys.some((key) => isWithinStep(name, key))
}
