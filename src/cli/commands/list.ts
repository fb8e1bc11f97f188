// `fixwright list`: the sessions of this home, those that wait for a person first, then the newest. It starts nothing.

import { findRepositoryRoot } from '../../app/find-repository.ts'
import { listSessions } from '../../app/session/find-sessions.ts'
import { withApp } from '../session/with-app.ts'
import { print, printNotice } from '../terminal/console.ts'
import { formatStatus } from '../terminal/status-words.ts'
import { formatAge, formatTable } from '../terminal/table.ts'

const DEFAULT_LIMIT = 20

export interface ListOptions {
  readonly json: boolean
  readonly all: boolean
  readonly repo?: string | undefined
}

export async function runListCommand({ json, all, repo }: ListOptions): Promise<number> {
  return withApp(async (app) => {
    const repository = repo === undefined ? undefined : findRepositoryRoot(repo)
    const { sessions, isCut } = await listSessions(app, { repository, limit: all ? undefined : DEFAULT_LIMIT })
    if (json) {
      print(JSON.stringify(sessions, null, 2))
      return 0
    }
    if (sessions.length === 0) printNotice('no session yet: "fixwright fix findings.json --repo FOLDER" starts one')
    else {
      const rows = sessions.map((session) => [
        session.session_id,
        formatStatus(session),
        `${session.counts.fixed}/${session.counts.requested} fixed`,
        formatAge(session.started_at),
        [session.repository, session.branch ?? ''].join('  '),
      ])
      print(formatTable(rows))
    }
    if (isCut) printNotice(`these are the latest ${DEFAULT_LIMIT}: --all shows the others too`)
    return 0
  })
}
