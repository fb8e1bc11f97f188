// Loads from the store all that is known of a session.
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { OpenDecision, SessionRecord } from '../../domain/session/session.ts'
import type { IssueState, OpenQuestion, OpenScope, SessionState } from '../../domain/session/session-state.ts'
import type { MessageRecord } from '../../domain/session/store-records.ts'
import type { Sandbox } from '../../domain/settings/sandbox-level.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import type { AppContext } from '../context.ts'
import { readArtifactOrReason } from './read-artifact.ts'
import { loadOverview } from './session-overview.ts'

export async function loadSessionState(
  app: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
): Promise<SessionState> {
  const { store } = app
  const id = session.session_id
  const [issues, messages, first] = await Promise.all([
    store.sessions.listIssues(id),
    store.messages.listForSession(id),
    store.events.listAfter(id, 0, 10),
  ])
  const { decision } = session
  return {
    ...(await loadOverview(app, session, issues)),
    request: decision?.request ?? null,
    questions: listOpenQuestions(session, messages),
    plan: session.plan ?? null,
    scope: decision?.kind === 'scope' ? await loadOpenScope(app, decision) : null,
    issues: issues.map(toIssueState),
    sandbox: findStartSandbox(first),
  }
}

function findStartSandbox(events: readonly SessionEvent[]): Sandbox | null {
  const [sandbox = null] = events.flatMap(({ type, data }) => (type === 'fix_session_started' ? [data.sandbox] : []))
  return sandbox
}

/** The questions of a decision stay open together; the messages show which already have an answer. */
export function listOpenQuestions({ decision }: SessionRecord, messages: readonly MessageRecord[]): OpenQuestion[] {
  if (decision?.kind !== 'clarification') return []
  const answered = new Set(messages.flatMap(({ answered_question_ids = [] }) => answered_question_ids))
  return decision.questions.filter(({ id }) => !answered.has(id))
}

async function loadOpenScope(
  app: Pick<AppContext, 'home'>,
  { files, more = 0, diff_ref }: Extract<OpenDecision, { kind: 'scope' }>,
): Promise<OpenScope> {
  return { files, more, diff: diff_ref === undefined ? '' : await readArtifactOrReason(app, diff_ref) }
}

function toIssueState({ issue, outcome }: SessionIssue): IssueState {
  return {
    issue_code: issue.issue_code,
    issue_id: issue.issue_id,
    title: issue.title,
    file: issue.file,
    status: issue.status,
    outcome: outcome?.status ?? null,
    score: outcome?.fix_gemini_score ?? null,
    iterations: outcome?.iterations ?? null,
    commit_sha: outcome?.commit_sha ?? null,
    error: outcome?.error ?? null,
  }
}

export async function reloadSessionState(
  app: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
): Promise<SessionState> {
  return await loadSessionState(app, await reloadSession(app, session))
}

export async function reloadSession(
  { store }: Pick<AppContext, 'store'>,
  session: SessionRecord,
): Promise<SessionRecord> {
  return (await store.sessions.get(session.session_id)) ?? session
}
