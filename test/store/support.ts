import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { Finding } from '../../src/domain/issue/parse-findings.ts'
import type { NewSession } from '../../src/store/sessions.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts'

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'fixwright-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function temporaryStore(t: TestContext, options?: StoreOptions): Promise<Store> {
  const store = await openStore(path.join(temporaryFolder(t), 'store.db'), options)
  t.after(() => store.close())
  return store
}

/** A file as Fixwright's first version left it: version-1.sql is one that it wrote, and is never edited. */
export function versionOneStore(t: TestContext): string {
  const file = path.join(temporaryFolder(t), 'store.db')
  const database = new DatabaseSync(file)
  database.exec(readFileSync(new URL('version-1.sql', import.meta.url), 'utf8'))
  database.close()
  return file
}

export function finding(code: string, more: Partial<Finding> = {}): Finding {
  return {
    issue_code: code,
    title: `About ${code}`,
    description: '',
    file: `src/${code}.py`,
    severity: 'medium',
    ...more,
  }
}

export function newSession(id: string, more: Partial<NewSession> = {}): NewSession {
  return {
    session_id: id,
    workflow_id: `fix-${id}`,
    key: 'key',
    repository: '/repo',
    task_id: 'task',
    status: 'pending',
    settings: {},
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
