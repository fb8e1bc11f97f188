// `fixwright list`: the sessions of this home, the newest first. Reads the store and starts nothing.
import { print, say } from './console.ts'
import { withStore } from './instance.ts'
import { repositoryFor } from './lookup.ts'
import { overviewOf, statusWords } from './overview.ts'
import { ago, table } from './table.ts'

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
    const sessions = await store.sessions.list({ repository, limit: all ? ALL : SHOWN + 1 })
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
