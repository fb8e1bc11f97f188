// What every new session has in common, before anything is begun.
import { randomBytes } from 'node:crypto'
import { toSessionId, toWorkflowId } from '../../domain/session/idempotency-key.ts'
import type { NewSession } from '../../store/sessions.ts'

type Unstarted = 'workflow_id' | 'status' | 'cost_usd' | `issues_${'fixed' | 'failed' | 'skipped' | 'requested'}`

export function createSessionId(): string {
  return toSessionId(randomBytes(8))
}

export function buildNewSession(own: Omit<NewSession, Unstarted>): NewSession {
  return {
    ...own,
    workflow_id: toWorkflowId(own.session_id),
    status: 'pending',
    issues_requested: own.issue_ids.length,
    issues_fixed: 0,
    issues_failed: 0,
    issues_skipped: 0,
    cost_usd: 0,
  }
}
