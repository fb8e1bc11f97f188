// Carries out what an import does, and writes down how each issue was before, so that the import can be undone.

import type { ImportRecord, KnownIssue } from '../../../domain/import/import-record.ts'
import { type ImportEffect, REFRESHED_FIELDS, REFRESHED_ORIGIN } from '../../../domain/import/plan-import.ts'
import { computeIssueId } from '../../issues.ts'
import { toRow } from '../row-mapping.ts'
import type { StoreContext } from '../tables.ts'

type Import = Pick<ImportRecord, 'import_id' | 'repository_id' | 'category' | 'created_at'>
type NewEffect = Extract<ImportEffect, { kind: 'created' | 'duplicate' }>

/** What an undo puts back. */
const RESTORED_FIELDS = [...REFRESHED_FIELDS, 'status', 'resolution_note', 'regressed'] as const
const RESTORED_ORIGIN = [...REFRESHED_ORIGIN, 'weaknesses', 'import_id', 'matched_by', 'closed_by'] as const

export async function applyEffects(
  tx: StoreContext['db'],
  record: Import,
  effects: readonly ImportEffect[],
): Promise<void> {
  const { import_id } = record
  await insertIssues(
    tx,
    record,
    effects.filter((effect) => effect.kind === 'created' || effect.kind === 'duplicate'),
  )
  await noteSeen(
    tx,
    record,
    effects.flatMap((effect) => (effect.kind === 'unchanged' ? (effect.known ?? []) : [])),
  )
  for (const effect of effects) {
    if (effect.kind === 'updated' || effect.kind === 'reopened') {
      const { known, found, reason } = effect
      const isReopened = effect.kind === 'reopened'
      await changeIssue(tx, record, effect.kind, known, {
        ...pick(found.finding, REFRESHED_FIELDS),
        ...(isReopened ? { status: 'open', regressed: true, resolution_note: undefined } : {}),
      })
      const seen = { ...found.origin, import_id, matched_by: reason }
      await changeOrigin(tx, known, isReopened ? { ...seen, closed_by: undefined } : seen)
    } else if (effect.kind === 'closed' && effect.known) {
      const note = `no longer reported (import ${import_id})`
      const closed = { status: 'resolved', resolution_note: note, regressed: undefined } as const
      await changeIssue(tx, record, effect.kind, effect.known, closed)
      await changeOrigin(tx, effect.known, { closed_by: import_id })
    } else if (effect.kind === 'ignored' && effect.known) {
      const ignored = { status: 'ignored', resolution_note: 'suppressed in source' } as const
      await changeIssue(tx, record, effect.kind, effect.known, ignored)
    }
  }
}

async function insertIssues(tx: StoreContext['db'], record: Import, effects: readonly NewEffect[]): Promise<void> {
  const { import_id, repository_id, category, created_at } = record
  if (effects.length === 0) return
  const toCode = await createCodeChooser(tx, repository_id)
  const named = effects.map((effect) => {
    const issue_code = toCode(effect.found.finding.issue_code)
    return { effect, issue_code, issue_id: computeIssueId(repository_id, import_id, issue_code) }
  })
  const byFound = new Map(named.map(({ effect, ...names }) => [effect.found, names]))
  const issues = named.map(({ effect, issue_code, issue_id }) => {
    const first = effect.kind === 'created' ? undefined : 'finding' in effect.of ? byFound.get(effect.of) : effect.of
    return toRow({
      ...{ line: undefined, category: undefined, suggested_fix: undefined },
      ...pick(effect.found.finding, REFRESHED_FIELDS),
      ...{ issue_id, issue_code, repository_id, task_id: import_id, fix_files_modified: [], version: 1 },
      ...{ created_at, updated_at: created_at, status: first ? ('duplicate' as const) : ('open' as const) },
      duplicate_of: first?.issue_id,
      resolution_note: first && `the same as ${first.issue_code}`,
    })
  })
  await insertRows(issues, (rows) => tx.insertInto('issues').values(rows).execute())
  const origins = named.map(({ effect, issue_id }) => {
    const blank = { tool_id: undefined, matched_by: undefined, closed_by: undefined }
    return toRow({ ...blank, ...effect.found.origin, issue_id, category, import_id })
  })
  await insertRows(origins, (rows) => tx.insertInto('issue_origins').values(rows).execute())
  const remembered = named.map(({ effect, issue_id }) => {
    return { import_id, issue_id, kind: effect.kind, version: 1, before: null }
  })
  await insertRows(remembered, (rows) => tx.insertInto('import_effects').values(rows).execute())
}

/** A session may take issues of several imports, so their codes must differ in the whole repository. */
async function createCodeChooser(tx: StoreContext['db'], repositoryId: string): Promise<(code: string) => string> {
  const rows = await tx.selectFrom('issues').select('issue_code').where('repository_id', '=', repositoryId).execute()
  const used = new Set(rows.map(({ issue_code }) => issue_code.toLowerCase()))
  return (wanted) => {
    let code = wanted
    for (let count = 2; used.has(code.toLowerCase()); count += 1) code = `${wanted.slice(0, 70)}-${count}`
    used.add(code.toLowerCase())
    return code
  }
}

/** A report that has an issue as it is changes nothing but where it was last seen. */
async function noteSeen(tx: StoreContext['db'], { import_id }: Import, known: readonly KnownIssue[]): Promise<void> {
  const left = known.filter(({ issue: { status } }) => status === 'open' || status === 'failed')
  const ids = left.map(({ issue }) => issue.issue_id)
  await insertRows(ids, (some) =>
    tx.updateTable('issue_origins').set({ import_id }).where('issue_id', 'in', some).execute(),
  )
}

/** A field that is undefined is emptied. */
async function changeIssue(
  tx: StoreContext['db'],
  { import_id, created_at }: Import,
  kind: ImportEffect['kind'],
  { issue, origin }: KnownIssue,
  fields: object,
): Promise<void> {
  const before = { issue: pick(issue, RESTORED_FIELDS), origin: pick(origin, RESTORED_ORIGIN) }
  const version = issue.version + 1
  await tx
    .insertInto('import_effects')
    .values({ import_id, issue_id: issue.issue_id, kind, version, before: JSON.stringify(before) })
    .execute()
  await tx
    .updateTable('issues')
    .set({ ...toRow(fields), version, updated_at: created_at })
    .where('issue_id', '=', issue.issue_id)
    .execute()
}

async function changeOrigin(tx: StoreContext['db'], { issue }: KnownIssue, fields: object): Promise<void> {
  await tx.updateTable('issue_origins').set(toRow(fields)).where('issue_id', '=', issue.issue_id).execute()
}

/** Absent fields are undefined, so that a row is emptied of them. */
function pick<Part extends object, Name extends keyof Part>(record: Part, names: readonly Name[]): Pick<Part, Name> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Pick<Part, Name>
}

/** SQLite takes 32,766 values in a statement. */
const ROWS_AT_A_TIME = 500

/** Takes many rows by few statements. */
async function insertRows<Row>(
  rows: readonly Row[],
  insert: (some: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) await insert(rows.slice(from, from + ROWS_AT_A_TIME))
}
