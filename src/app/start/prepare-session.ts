// The dialogue before a start over HTTP: questions until the fixer is ready, then the plan. The session waits for its start by itself,
// so whoever asks may go away at any time and ask again.

import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { OpenDecision, SessionRecord } from '../../domain/session/session.ts'
import type { OpenQuestion } from '../../domain/session/session-state.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import type { AppContext } from '../context.ts'
import { getSession } from '../session/find-sessions.ts'
import { listOpenQuestions } from '../session/load-session-state.ts'
import { sendToSession } from '../session/send-message.ts'
import { watchSession } from '../session/watch-session.ts'

export interface Preparation {
  readonly session: SessionRecord
  /** `working`: nothing is to be said yet, ask again. `started`: nobody waits for a start any more. */
  readonly state: 'working' | 'questions' | 'plan' | 'ready' | 'started'
  readonly questions: readonly OpenQuestion[]
  /** The latest words of the agent about what is unclear. */
  readonly message: string
}

/** Waits until the session asks, shows a plan, waits for its start, or has begun; at most until the signal aborts. */
export async function waitForPreparation(app: AppContext, id: string, signal: AbortSignal): Promise<Preparation> {
  for await (const session of watchSession(app, id, signal)) {
    const found = await describePreparation(app, session)
    if (found.state !== 'working') return found
  }
  return await describePreparation(app, await getSession(app, id))
}

async function describePreparation(app: AppContext, session: SessionRecord): Promise<Preparation> {
  const { session_id } = session
  const [messages, events] = await Promise.all([
    app.store.messages.listForSession(session_id),
    app.store.events.listAll(session_id),
  ])
  const questions = listOpenQuestions(session, messages)
  const words = events.flatMap(({ type, data }) =>
    type === 'fix_log' && data.code === 'clarified' ? [data.words] : [],
  )
  const hasBegun = events.some(({ type }) => type === 'fix_issue_generating')
  return { session, state: findState(session, questions.length, hasBegun), questions, message: words.at(-1) ?? '' }
}

function findState(session: SessionRecord, open: number, hasBegun: boolean): Preparation['state'] {
  if (session.ended_at !== undefined || hasBegun) return 'started'
  if (open > 0) return 'questions'
  if (session.decision?.kind === 'plan') return 'plan'
  return session.waiting?.kind === 'pause' ? 'ready' : 'working'
}

/** Lets a session begin that waits for its start, or whose plan waits for approval. Its notes count from here on. */
export async function beginPrepared(
  app: AppContext,
  id: string,
  { repository_id, user_notes }: { readonly repository_id: string; readonly user_notes?: string | undefined },
): Promise<SessionRecord> {
  if ((await getSession(app, id)).repository_id !== repository_id) {
    throw new FixwrightError('session_not_found', `the repository ${repository_id} has no session ${id}`)
  }
  const { session, state, questions } = await waitForPreparation(app, id, AbortSignal.timeout(1))
  if (session.ended_at !== undefined) throw describeEnded(session)
  if (state === 'questions') {
    const problem = `session ${id} still has ${questions.length} open question(s): answer them at /api/fix/clarify`
    throw new FixwrightError('message_refused', problem)
  }
  if (state === 'working') {
    const problem = `session ${id} is not ready yet: ask /api/fix/clarify again until ready_to_fix`
    throw new FixwrightError('message_refused', problem)
  }
  if (user_notes !== undefined) {
    await app.store.sessions.update(id, { user_notes: await createMasking(app.env).maskText(user_notes) })
  }
  const kind: OpenDecision['kind'] | undefined = session.decision?.kind
  const outcome =
    kind === 'plan'
      ? await sendToSession(app, session, 'decidePlan', { decision: 'approve' })
      : await sendToSession(app, session, 'resume', {})
  if (outcome.kind === 'refused') throw new FixwrightError(outcome.code, outcome.reason)
  if (outcome.kind === 'ended') throw describeEnded(await getSession(app, id))
  return session
}

export function describeEnded({ session_id, ending, status }: SessionRecord): FixwrightError {
  return new FixwrightError('session_ended', `session ${session_id} has ended: ${ending?.reason ?? status}`)
}
