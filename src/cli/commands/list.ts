// `fixwright list`: the sessions of this home, those that wait for a person first, then the newest. Reads the store, starts nothing.

import { loadOverview } from '../../app/session/session-overview.ts'
import { isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import type { Store } from '../../store/store.ts'
import { withStore } from '../session/connect.ts'
import { resolveRepository } from '../session/find-session.ts'
import { print, printNotice } from '../terminal/console.ts'
import { formatStatus } from '../terminal/status-words.ts'
import { formatAge, formatTable } from '../terminal/table.ts'

const DEFAULT_LIMIT = 20
const NO_LIMIT = 100_000

export interface ListOptions {
  readonly json: boolean
  readonly all: boolean
  readonly repo?: string | undefined
}

export async function runListCommand({ json, all, repo }: ListOptions): Promise<number> {
  return withStore(async (store) => {
    const repository = repo === undefined ? undefined : resolveRepository(repo)
    const sessions = await listWaitingFirst(store, repository, all ? NO_LIMIT : DEFAULT_LIMIT + 1)
    const shown = all ? sessions : sessions.slice(0, DEFAULT_LIMIT)
    const overviews = await Promise.all(shown.map((session) => loadOverview(store, session)))
    if (json) {
      print(JSON.stringify(overviews, null, 2))
      return 0
    }
    if (overviews.length === 0) printNotice('no session yet: "fixwright fix findings.json --repo FOLDER" starts one')
    else {
      const rows = overviews.map((overview) => [
        overview.session_id,
        formatStatus(overview),
        `${overview.counts.fixed}/${overview.counts.requested} fixed`,
        formatAge(overview.started_at),
        [overview.repository, overview.branch ?? ''].join('  '),
      ])
      print(formatTable(rows))
    }
    if (sessions.length > shown.length) printNotice(`these are the latest ${DEFAULT_LIMIT}: --all shows the others too`)
    return 0
  })
}

/** A question must not be lost below newer sessions. */
async function listWaitingFirst(store: Store, repository: string | undefined, limit: number): Promise<SessionRecord[]> {
  const running = await store.sessions.list({ repository, running: true, limit: NO_LIMIT })
  const waiting = running.filter(isWaitingForPerson)
  const newest = await store.sessions.list({ repository, limit })
  return [...waiting, ...newest.filter((session) => !isWaitingForPerson(session))].slice(0, limit)
}
