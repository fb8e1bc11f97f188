import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { Finding } from '../../src/domain/issue/parse-findings.ts'
import { openStore, type StoreOptions } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'

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

/** A store as an earlier Fixwright left it: version-1.sql and its like are what those wrote, and are never edited. */
export function storeOfVersion(t: TestContext, version: 1 | 4 | 6): string {
  const file = path.join(temporaryFolder(t), 'store.db')
  const database = new DatabaseSync(file)
  database.exec(readFileSync(new URL(`version-${version}.sql`, import.meta.url), 'utf8'))
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
