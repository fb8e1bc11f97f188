import { type ImportCounts, ImportRecord, TaskRecord } from '../../../domain/import/import-record.ts'
import { countEffects, type ImportEffect, planImport } from '../../../domain/import/plan-import.ts'
import type { ImportTable, NewImport } from '../../imports.ts'
import { fromRow, toRow } from '../row-mapping.ts'
import type { StoreContext } from '../tables.ts'
import { applyEffects } from './apply-effects.ts'
import { listCommitsOfKnown, loadKnownIssues, loadOtherIssues } from './known-issues.ts'
import { restoreBeforeImport } from './restore-before-import.ts'

export function createImportTable({ db, now }: StoreContext): ImportTable {
  const listKnownCommits: ImportTable['listKnownCommits'] = (scope) => listCommitsOfKnown(db, scope)
  return { apply, preview, undo, get, list, listTasks, listKnownCommits }

  async function apply(request: NewImport): Promise<ImportRecord> {
    return db.transaction().execute(async (tx) => {
      const effects = await planEffects(tx, request)
      const { found: _, scope: __, ...fields } = request
      const record = { ...fields, counts: countEffects(effects), created_at: now(), undone_at: undefined }
      await tx.insertInto('imports').values(toRow(record)).execute()
      const { repository_id, import_id: task_id, created_at } = record
      await tx.insertInto('tasks').values({ repository_id, task_id, kind: 'import', created_at }).execute()
      await applyEffects(tx, record, effects)
      return ImportRecord.parse(record)
    })
  }

  async function preview(request: NewImport): Promise<ImportCounts> {
    return countEffects(await planEffects(db, request))
  }

  async function undo(importId: string) {
    return db.transaction().execute((tx) => restoreBeforeImport(tx, now(), importId))
  }

  async function get(importId: string): Promise<ImportRecord | undefined> {
    const row = await db.selectFrom('imports').selectAll().where('import_id', '=', importId).executeTakeFirst()
    return row && fromRow(ImportRecord, row)
  }

  async function list(repositoryId: string): Promise<ImportRecord[]> {
    const found = db.selectFrom('imports').selectAll().where('repository_id', '=', repositoryId)
    const rows = await found.orderBy('created_at', 'desc').orderBy('import_id').execute()
    return rows.map((row) => fromRow(ImportRecord, row))
  }

  async function listTasks(repositoryId: string): Promise<TaskRecord[]> {
    const found = db.selectFrom('tasks').selectAll().where('repository_id', '=', repositoryId)
    const rows = await found.orderBy('created_at', 'desc').orderBy('task_id').execute()
    return rows.map((row) => fromRow(TaskRecord, row))
  }
}

async function planEffects(db: StoreContext['db'], { found, scope, ...request }: NewImport): Promise<ImportEffect[]> {
  const [known, others] = [await loadKnownIssues(db, request), await loadOtherIssues(db, request)]
  return planImport(known, others, found, scope)
}
