// A session in figures, as the store has it now: while it runs its counts and its cost are added up from what is done so far.
import type { SessionRecord, SessionWaiting } from '../domain/session.ts'
import type { SessionIssue } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { paint } from './console.ts'

export interface Overview {
  readonly session_id: string
  readonly status: SessionRecord['status']
  readonly waiting: SessionWaiting | null
  readonly repository: string
  readonly task_id: string
  readonly branch: string | null
  readonly base: string | null
  readonly counts: Readonly<Record<'requested' | 'fixed' | 'failed' | 'skipped', number>>
  readonly cost_usd: number
  readonly started_at: string
  readonly ended_at: string | null
  readonly ending: SessionRecord['ending'] | null
}

export async function overviewOf(
  store: Store,
  session: SessionRecord,
  issues?: readonly SessionIssue[],
): Promise<Overview> {
  const ended = session.ended_at !== undefined
  const done = ended ? [] : (issues ?? (await store.sessions.issuesOf(session.session_id)))
  const calls = ended ? [] : await store.calls.ofSession(session.session_id)
  const count = (status: SessionRecord['status']) => done.filter(({ outcome }) => outcome?.status === status).length
  return {
    session_id: session.session_id,
    status: session.status,
    waiting: session.waiting ?? null,
    repository: session.repository,
    task_id: session.task_id,
    branch: session.branch_name ?? null,
    base: session.base_commit ?? null,
    counts: {
      requested: session.issues_requested,
      fixed: ended ? session.issues_fixed : count('completed'),
      failed: ended ? session.issues_failed : count('failed'),
      skipped: ended ? session.issues_skipped : count('skipped'),
    },
    cost_usd: ended ? session.cost_usd : calls.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
    started_at: session.started_at,
    ended_at: session.ended_at ?? null,
    ending: session.ending ?? null,
  }
}

/** The status with what it waits for, coloured for standard output. */
export function statusWords({ status, waiting }: Pick<Overview, 'status' | 'waiting'>): string {
  const text = waiting === null ? status : `${status}, waiting`
  return paint(styleOf(status, waiting !== null), text, process.stdout)
}

function styleOf(status: Overview['status'], waiting: boolean): 'green' | 'red' | 'yellow' | 'cyan' | 'dim' {
  if (waiting) return 'yellow'
  switch (status) {
    case 'completed':
      return 'green'
    case 'failed':
      return 'red'
    case 'partial':
    case 'cancelled':
      return 'yellow'
    case 'skipped':
      return 'dim'
    default:
      return 'cyan'
  }
}
