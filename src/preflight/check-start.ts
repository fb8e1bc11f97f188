// Checks a start before anything is begun, for real starts and dry runs alike.
import type { Refusal } from '../domain/errors/fixwright-error.ts'
import type { FixSessionResult, SessionRecord } from '../domain/session/session.ts'
import type { Environment, Home } from '../runtime/home/home.ts'
import type { Store } from '../store/store.ts'
import { type PreparedSession, prepareSession, type StartInput } from './prepare-session.ts'
import { buildSkippedResult, findReusableResult, nothingToDoReason } from './reuse-session.ts'

export interface CheckContext {
  readonly home: Home
  readonly env: Environment
  readonly store: Store
}

export type StartCheck =
  | Refusal
  /** A session would have nothing to do. */
  | { readonly kind: 'idle'; readonly reason: string; readonly result: FixSessionResult }
  /** A session has just done this work. */
  | { readonly kind: 'answered'; readonly result: FixSessionResult }
  /** `atWork`: the session that already does this work and would be joined. */
  | { readonly kind: 'ready'; readonly prepared: PreparedSession; readonly atWork: SessionRecord | undefined }

/** With `force` no running session is joined and no earlier result reused. */
export async function checkStart(
  { home, env, store }: CheckContext,
  input: StartInput,
  force = false,
): Promise<StartCheck> {
  const prepared = await prepareSession(input, home, env, store)
  if (prepared.kind === 'refused') return prepared
  const { session, findings, settings, obstacle } = prepared
  const idle = nothingToDoReason(findings, settings)
  if (idle !== undefined) return { kind: 'idle', reason: idle, result: buildSkippedResult(session, findings, idle) }
  const answered = force ? undefined : await findReusableResult(store, session)
  if (answered) return { kind: 'answered', result: answered }
  const [atWork] = force ? [] : await store.sessions.list({ key: session.key, running: true, limit: 1 })
  if (obstacle && !atWork) return obstacle
  return { kind: 'ready', prepared, atWork }
}
