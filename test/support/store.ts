// Sessions and issues as they come into a store: `createSession` is the one way in.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Finding } from '../../src/domain/issue/parse-findings.ts'
import type { SessionRecord } from '../../src/domain/session/session.ts'
import type { IssueRecord } from '../../src/domain/session/store-records.ts'

import { loadSettings } from '../../src/runtime/settings/merge-settings.ts'
import { computeIssueId } from '../../src/store/issues.ts'
import type { NewSession } from '../../src/store/sessions.ts'
import type { Store } from '../../src/store/store.ts'

export const { settings: DEFAULT_SETTINGS } = loadSettings({
  home: { settingsFile: '/nowhere/settings.yaml' },
  env: {},
})

export function newSession(id: string, more: Partial<NewSession> = {}): NewSession {
  return {
    session_id: id,
    workflow_id: `fix-${id}`,
    key: `key of ${id}`,
    repository_id: more.repository ?? '/repo',
    repository: '/repo',
    task_id: 'task',
    status: 'pending',
    settings: DEFAULT_SETTINGS,
    options: {},
    issues_requested: 0,
    issues_fixed: 0,
    issues_failed: 0,
    issues_skipped: 0,
    cost_usd: 0,
    issue_ids: [],
    ...more,
  }
}

/** A session whose issues the store knows already. */
export async function insertSession(store: Store, session: NewSession | SessionRecord): Promise<SessionRecord> {
  const { repository_name: _, ...columns } = { repository_name: '', issue_ids: [], ...session }
  const created = await store.createSession(columns, [])
  assert.ok(created.kind === 'begun', `${session.session_id}: ${created.kind}`)
  return created.session
}

/** Issues as an earlier session left them that never started. Answers with them in the order of the findings. */
export async function insertIssues(
  store: Store,
  repository: string,
  task_id: string,
  findings: readonly Finding[],
): Promise<IssueRecord[]> {
  const session = newSession(randomUUID(), { repository, task_id })
  await store.createSession(session, findings)
  assert.ok(await store.sessions.discardUnstarted(session.session_id))
  const ids = findings.map(({ issue_code }) => computeIssueId(repository, task_id, issue_code))
  return Promise.all(ids.map(async (id) => (await store.issues.get(id))!))
}
