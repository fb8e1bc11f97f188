// From what a person typed to what they mean: a session by its id or the beginning of it, a repository by any folder in it.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FixwrightError } from '../../app/errors.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Store } from '../../store/store.ts'

const MAX_SUGGESTIONS = 5

export async function resolveSession(store: Store, typed: string): Promise<SessionRecord> {
  const found = await store.sessions.findByPrefix(typed)
  if (found.kind === 'one') return found.session
  if (found.kind === 'several') {
    throw new FixwrightError(
      'session_not_found',
      `"${typed}" is the beginning of several sessions: ${found.ids.join(', ')}; give more of it`,
    )
  }
  const recent = (await store.sessions.list({ limit: 200 })).map(({ session_id }) => session_id)
  if (recent.length === 0)
    throw new FixwrightError('session_not_found', `there is no session ${typed}: there is none at all yet`)
  const { findNearest } = await import('../../runtime/settings/schema-introspection.ts')
  const near = findNearest(typed, recent)
  const hint =
    near === undefined ? `the latest are ${recent.slice(0, MAX_SUGGESTIONS).join(', ')}` : `did you mean ${near}?`
  throw new FixwrightError('session_not_found', `there is no session ${typed}; ${hint}`)
}

/** The root of the repository that holds this folder, as records name it; without asking git. */
export function resolveRepository(typed: string): string {
  let folder: string
  try {
    folder = realpathSync(typed)
  } catch {
    throw new FixwrightError('repository_unusable', `--repo ${typed}: there is no such folder`)
  }
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return folder
  }
}

/** A value out of a fixed set; a wrong one is told the right ones. */
export function parseChoice<Value extends string>(what: string, typed: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === typed)
  if (found !== undefined) return found
  throw new FixwrightError('bad_input', `${what} ${typed}: must be one of ${values.join(', ')}`)
}
