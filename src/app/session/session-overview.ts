// A session's figures from the store; while it runs, counts and cost are summed up from its progress so far.
import type { Budgets } from '../../domain/budget/limits.ts'
import { isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import type { RepositoryFileUse, SessionOverview } from '../../domain/session/session-state.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import type { AppContext } from '../context.ts'
import { findWorkflowUrl } from '../instance/workflow-url.ts'

export { hasEnded, isWaitingForPerson } from '../../domain/session/session.ts'
export { formatAchievement } from '../../domain/session/session-kind.ts'

export async function loadOverview(
  { store, home }: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
  issues?: readonly SessionIssue[],
): Promise<SessionOverview> {
  const ended = session.ended_at !== undefined
  const done = ended ? [] : (issues ?? (await store.sessions.listIssues(session.session_id)))
  const { cost_usd, cost_partial = false, tokens } = await store.agentCalls.sumSpending(session.session_id)
  const count = (status: SessionRecord['status']) => done.filter(({ outcome }) => outcome?.status === status).length
  return {
    session_id: session.session_id,
    kind: session.kind,
    workflow_id: session.workflow_id,
    run_id: session.run_id ?? null,
    temporal_url: findWorkflowUrl(home, session),
    status: session.status,
    waiting: describeWaiting(session) ?? null,
    repository_id: session.repository_id,
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
    review: session.result?.review ?? null,
    votes: session.result?.votes ?? null,
    cost_usd: ended ? session.cost_usd : cost_usd,
    cost_partial,
    tokens,
    budgets: listBudgets(session),
    started_at: session.started_at,
    ended_at: session.ended_at ?? null,
    ending: session.ending ?? null,
    repository_file: (session.options.repository_file as RepositoryFileUse | undefined) ?? null,
  }
}

/** Null if no budget has a limit. */
function listBudgets({ settings: { budgets } }: SessionRecord): Budgets | null {
  return Object.values(budgets).some((limit) => limit !== null) ? budgets : null
}

export function describeWaiting(session: SessionRecord): SessionOverview['waiting'] | undefined {
  const { waiting, session_id } = session
  if (waiting === undefined || !isWaitingForPerson(session)) return waiting
  const command = {
    clarification: 'answer',
    plan: 'plan',
    scope: 'scope',
    pause: 'resume',
    limit: '',
    branch: '',
    worker: '',
  }
  return { ...waiting, answer: `fixwright ${command[waiting.kind]} ${session_id}` }
}
