// `fixwright list`: the sessions of this home, those that wait for a person first, then the newest. Reads the store, starts nothing.

import { overviewOf } from '../../app/session-overview.ts'
import { type SessionRecord, waitsForPerson } from '../../domain/session/session.ts'
import type { Store } from '../../store/store.ts'
import { withStore } from '../session/connect.ts'
import { repositoryFor } from '../session/find-session.ts'
import { print, say } from '../terminal/console.ts'
import { statusWords } from '../terminal/status-words.ts'
import { ago, table } from '../terminal/table.ts'

const SHOWN = 20
const ALL = 100_000

export interface ListOptions {
  readonly json: boolean
  readonly all: boolean
  readonly repo?: string | undefined
}

export async function list({ json, all, repo }: ListOptions): Promise<number> {
  return withStore(async (store) => {
    const repository = repo === undefined ? undefined : repositoryFor(repo)
    const sessions = await waitingFirst(store, repository, all ? ALL : SHOWN + 1)
    const shown = all ? sessions : sessions.slice(0, SHOWN)
    const overviews = await Promise.all(shown.map((session) => overviewOf(store, session)))
    if (json) {
      print(JSON.stringify(overviews, null, 2))
      return 0
    }
    if (overviews.length === 0) say('no session yet: "fixwright fix findings.json --repo FOLDER" starts one')
    else {
      const rows = overviews.map((overview) => [
        overview.session_id,
        statusWords(overview),
        `${overview.counts.fixed}/${overview.counts.requested} fixed`,
        ago(overview.started_at),
        [overview.repository, overview.branch ?? ''].join('  '),
      ])
      print(table(rows))
    }
    if (sessions.length > shown.length) say(`these are the latest ${SHOWN}: --all shows the others too`)
    return 0
  })
}

/** A question must not be lost below newer sessions. */
async function waitingFirst(store: Store, repository: string | undefined, limit: number): Promise<SessionRecord[]> {
  const running = await store.sessions.list({ repository, running: true, limit: ALL })
  const waiting = running.filter(waitsForPerson)
  const newest = await store.sessions.list({ repository, limit })
  return [...waiting, ...newest.filter((session) => !waitsForPerson(session))].slice(0, limit)
}
