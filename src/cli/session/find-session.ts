// From what a person typed to what they mean: a session by its id or the beginning of it, a repository by any folder in it.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Store } from '../../store/store.ts'
import { BAD_INPUT, Exit } from '../exit-codes.ts'

const MENTIONED = 5

export async function sessionFor(store: Store, typed: string): Promise<SessionRecord> {
  const found = await store.sessions.find(typed)
  if (found.kind === 'one') return found.session
  if (found.kind === 'several') {
    throw new Exit(
      BAD_INPUT,
      `"${typed}" is the beginning of several sessions: ${found.ids.join(', ')}; give more of it`,
    )
  }
  const recent = (await store.sessions.list({ limit: 200 })).map(({ session_id }) => session_id)
  if (recent.length === 0) throw new Exit(BAD_INPUT, `there is no session ${typed}: there is none at all yet`)
  const { nearest } = await import('../../runtime/settings/schema-introspection.ts')
  const near = nearest(typed, recent)
  const hint = near === undefined ? `the latest are ${recent.slice(0, MENTIONED).join(', ')}` : `did you mean ${near}?`
  throw new Exit(BAD_INPUT, `there is no session ${typed}; ${hint}`)
}

/** The root of the repository that holds this folder, as records name it; without asking git. */
export function repositoryFor(typed: string): string {
  let folder: string
  try {
    folder = realpathSync(typed)
  } catch {
    throw new Exit(BAD_INPUT, `--repo ${typed}: there is no such folder`)
  }
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return folder
  }
}

/** A value out of a fixed set; a wrong one is told the right ones. */
export function oneOf<Value extends string>(what: string, typed: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === typed)
  if (found !== undefined) return found
  throw new Exit(BAD_INPUT, `${what} ${typed}: must be one of ${values.join(', ')}`)
}
