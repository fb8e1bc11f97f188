// Undoes an import as far as nobody has changed its issues since.
import { ImportRecord, IssueBefore } from '../../../domain/import/import-record.ts'
import type { UndoOutcome } from '../../imports.ts'
import { fromRow, toRow } from '../row-mapping.ts'
import type { StoreContext } from '../tables.ts'

export async function restoreBeforeImport(
  tx: StoreContext['db'],
  time: string,
  importId: string,
): Promise<UndoOutcome> {
  const row = await tx.selectFrom('imports').selectAll().where('import_id', '=', importId).executeTakeFirst()
  if (!row) return { kind: 'unknown' }
  const record = fromRow(ImportRecord, row)
  if (record.undone_at !== undefined) return { kind: 'undone_before' }
  const by = await findLaterImport(tx, record)
  if (by !== undefined) return { kind: 'not_latest', by }

  const effects = await tx
    .selectFrom('import_effects')
    .innerJoin('issues', 'issues.issue_id', 'import_effects.issue_id')
    .select(['import_effects.issue_id', 'import_effects.version', 'before', 'issues.version as version_now'])
    .where('import_id', '=', importId)
    .execute()
  let restored = 0
  for (const { issue_id, version, before, version_now } of effects) {
    if (version !== version_now) continue
    if (
      before === null
        ? await removeIssue(tx, time, issue_id)
        : await restoreIssue(tx, time, { issue_id, before, version })
    )
      restored += 1
  }
  await tx.updateTable('imports').set({ undone_at: time }).where('import_id', '=', importId).execute()
  return { kind: 'undone', restored, kept: effects.length - restored }
}

async function findLaterImport(
  tx: StoreContext['db'],
  { import_id, repository_id, category, tools, created_at }: ImportRecord,
): Promise<string | undefined> {
  const rows = await tx
    .selectFrom('imports')
    .selectAll()
    .where('repository_id', '=', repository_id)
    .where('category', '=', category)
    .where('undone_at', 'is', null)
    .where('import_id', '!=', import_id)
    .where('created_at', '>=', created_at)
    .orderBy('created_at', 'desc')
    .execute()
  const later = rows.map((each) => fromRow(ImportRecord, each))
  return later.find((each) => each.tools.some((tool) => tools.includes(tool)))?.import_id
}

/** A session that was asked to fix an issue keeps it. */
async function removeIssue(tx: StoreContext['db'], time: string, issueId: string): Promise<boolean> {
  const asked = tx.selectFrom('session_issues').select('session_id').where('issue_id', '=', issueId)
  if (await asked.executeTakeFirst()) return false
  await freeDuplicates(tx, time, issueId)
  await tx.deleteFrom('issue_origins').where('issue_id', '=', issueId).execute()
  await tx.deleteFrom('issues').where('issue_id', '=', issueId).execute()
  return true
}

/** What another tool has found at the same place is then an issue of its own. */
async function freeDuplicates(tx: StoreContext['db'], time: string, issueId: string): Promise<void> {
  const duplicates = tx.selectFrom('issues').select(['issue_id', 'version']).where('duplicate_of', '=', issueId)
  for (const { issue_id, version } of await duplicates.where('status', '=', 'duplicate').execute()) {
    const own = { status: 'open' as const, duplicate_of: null, resolution_note: null, updated_at: time }
    await tx
      .updateTable('issues')
      .set({ ...own, version: version + 1 })
      .where('issue_id', '=', issue_id)
      .execute()
    // Its own import still finds it as it left it.
    await tx
      .updateTable('import_effects')
      .set({ version: version + 1 })
      .where('issue_id', '=', issue_id)
      .where('version', '=', version)
      .execute()
  }
}

async function restoreIssue(
  tx: StoreContext['db'],
  time: string,
  effect: { readonly issue_id: string; readonly before: string; readonly version: number },
): Promise<boolean> {
  const { issue, origin } = IssueBefore.parse(JSON.parse(effect.before))
  // The version too is the one before, in which the import before this one left it.
  const blank = { line: null, category: null, suggested_fix: null, resolution_note: null, regressed: null }
  await tx
    .updateTable('issues')
    .set({ ...blank, ...toRow(issue), version: effect.version - 1, updated_at: time })
    .where('issue_id', '=', effect.issue_id)
    .execute()
  await tx
    .updateTable('issue_origins')
    .set({ tool_id: null, matched_by: null, closed_by: null, ...toRow(origin) })
    .where('issue_id', '=', effect.issue_id)
    .execute()
  return true
}
