// `fixwright list`: the sessions of this home, those that wait for a person first, then the newest. It starts nothing.

import { basename } from 'node:path'
import type { AppContext } from '../../app/context.ts'
import { truncateMiddle } from '../../app/format-values.ts'
import { listSessions } from '../../app/session/find-sessions.ts'
import { formatAchievement } from '../../app/session/session-overview.ts'
import type { SessionOverview } from '../../domain/session/session-state.ts'
import { withApp } from '../session/with-app.ts'
import { paint, printJson, printNotice } from '../terminal/console.ts'
import { printPaged } from '../terminal/pager.ts'
import { formatShortStatus } from '../terminal/status-words.ts'
import { formatAge, formatTable, measureCell } from '../terminal/table.ts'

const DEFAULT_LIMIT = 20

export interface ListOptions {
  readonly json: boolean
  readonly all: boolean
  readonly repo?: string | undefined
}

export async function runListCommand({ json, all, repo }: ListOptions): Promise<number> {
  return withApp(async (app) => {
    const repository_id = repo === undefined ? undefined : await resolveRepository(app, repo)
    const { sessions, isCut } = await listSessions(app, { repository_id, limit: all ? undefined : DEFAULT_LIMIT })
    if (json) {
      printJson(sessions)
      return 0
    }
    if (sessions.length === 0) printNotice('no session yet: "fixwright fix findings.json --repo FOLDER" starts one')
    else {
      await printPaged(formatSessions(sessions))
    }
    if (isCut) printNotice(`these are the latest ${DEFAULT_LIMIT}: --all shows the others too`)
    return 0
  })
}

/** Loads what knows git, which takes longer than all else here, only for a filter. */
async function resolveRepository(app: AppContext, typed: string): Promise<string | undefined> {
  const { resolveRepositoryId } = await import('../../app/repositories/repositories.ts')
  return await resolveRepositoryId(app, typed)
}

const HEADS = ['SESSION', 'REPOSITORY', 'BRANCH', 'STATUS', 'FIXED', 'STARTED']
const MAX_REPOSITORY_CHARS = 16
const MIN_BRANCH_CHARS = 12

/** On a terminal the branch's name takes what the others leave, and loses its middle. */
function formatSessions(sessions: readonly SessionOverview[]): string {
  const rows = sessions.map((session) => ({
    before: [session.session_id, truncateMiddle(basename(session.repository), MAX_REPOSITORY_CHARS)],
    branch: session.branch ?? '',
    after: [formatShortStatus(session), formatAchievement(session), formatAge(session.started_at)],
  }))
  const widest = (cells: readonly (readonly string[])[]) =>
    (cells[0] ?? []).reduce(
      (sum, _, column) => sum + Math.max(...cells.map((row) => measureCell(row[column] ?? ''))) + 2,
      0,
    )
  const taken =
    widest([HEADS.slice(0, 2), ...rows.map(({ before }) => before)]) +
    widest([HEADS.slice(3), ...rows.map(({ after }) => after)])
  const room =
    process.stdout.columns > 0 ? Math.max(process.stdout.columns - taken, MIN_BRANCH_CHARS) : Number.POSITIVE_INFINITY
  return formatTable([
    HEADS.map((head) => paint('dim', head, process.stdout)),
    ...rows.map(({ before, branch, after }) => [...before, truncateMiddle(branch, room), ...after]),
  ])
}
