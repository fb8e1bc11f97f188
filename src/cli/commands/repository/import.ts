// `fixwright import`: a report of any tool becomes issues in the store, or is only counted, listed or undone.
import type { AppContext } from '../../../app/context.ts'
import { FixwrightError, RefusedError } from '../../../app/errors.ts'
import type { ForgeImportRequest } from '../../../app/forge/import-from-forge.ts'
import { type ImportRequest, importReport, type ReportImportOutcome } from '../../../app/imports/import-report.ts'
import { listImports, undoImport } from '../../../app/imports/imports.ts'
import { findRepository } from '../../../app/repositories/repositories.ts'
import type { ImportCounts, ImportRecord } from '../../../domain/import/import-record.ts'
import { withApp } from '../../session/with-app.ts'
import { paint, print, printJson, printNotice } from '../../terminal/console.ts'
import { formatAge, formatTable } from '../../terminal/table.ts'

interface ImportOptions extends Omit<ImportRequest, 'report'> {
  /** A file, or `github:owner/name`. */
  readonly report: string | undefined
  readonly labels: readonly string[]
  readonly codeScanning: boolean
  readonly flags: Readonly<Record<string, unknown>>
  readonly undo: string | undefined
  readonly list: boolean
  readonly json: boolean
}

export async function runImportCommand({
  report,
  undo,
  list,
  json,
  flags,
  labels,
  codeScanning,
  ...request
}: ImportOptions): Promise<number> {
  if ([report !== undefined, undo !== undefined, list].filter(Boolean).length !== 1)
    throw new FixwrightError('bad_input', 'give one of: the file of a report, --undo with an import, or --list')
  if (undo !== undefined) return await runUndo(undo, json)
  if (report === undefined) return await runList(request.repository, json)
  return withApp(
    async (app) => {
      const from = /^github:(.*)$/.exec(report)?.[1]
      if (from === undefined && (codeScanning || labels.length > 0))
        throw new FixwrightError('bad_input', '--label and --code-scanning are for github:owner/name')
      const outcome =
        from === undefined
          ? await importReport(app, { ...request, report })
          : await importForge(app, { ...request, from, labels, codeScanning })
      if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
      if (json) {
        printJson(outcome.kind === 'previewed' ? { preview: true, ...outcome } : outcome.import)
        return 0
      }
      const { notice, counts } = outcome.kind === 'previewed' ? outcome : outcome.import
      if (notice !== undefined) printNotice(notice)
      if (outcome.kind === 'previewed') print(`would be: ${formatCounts(counts)}; nothing was changed`)
      else print(`${outcome.import.import_id}: ${formatCounts(counts)}`)
      return 0
    },
    { flags },
  )
}

async function importForge(app: AppContext, request: ForgeImportRequest): Promise<ReportImportOutcome> {
  const { importFromForge } = await import('../../../app/forge/import-from-forge.ts')
  return await importFromForge(app, request)
}

async function runUndo(importId: string, json: boolean): Promise<number> {
  return withApp(async (app) => {
    const outcome = await undoImport(app, importId)
    if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
    const { restored, kept } = outcome
    const left = kept > 0 ? `; ${kept} left, because they were changed since` : ''
    if (json) printJson({ import_id: importId, restored, kept })
    else print(`${importId} is undone: ${restored} issue(s) are as before${left}`)
    return 0
  })
}

async function runList(typed: string, json: boolean): Promise<number> {
  return withApp(async (app) => {
    const repository = await findRepository(app, typed)
    const found = repository ? await listImports(app, repository.repository_id) : []
    if (json) printJson(found)
    else if (found.length === 0) printNotice('nothing was imported yet')
    else print(formatImports(found))
    return 0
  })
}

function formatImports(found: readonly ImportRecord[]): string {
  return formatTable([
    ['IMPORT', 'TOOLS', 'CATEGORY', 'WHAT BECAME OF IT', 'WHEN'].map((head) => paint('dim', head, process.stdout)),
    ...found.map(({ import_id, tools, category, counts, created_at, undone_at }) => [
      import_id,
      tools.join(', '),
      category,
      undone_at === undefined ? formatCounts(counts) : 'undone',
      formatAge(created_at),
    ]),
  ])
}

/** Only created, updated and closed are told when they are none. */
function formatCounts({ created, updated, closed, unchanged, ...rare }: ImportCounts): string {
  const others = Object.entries(rare).filter(([, count]) => count > 0)
  const all = [...Object.entries({ created, updated, closed, unchanged }), ...others]
  return all.map(([name, count]) => `${count} ${name}`).join(', ')
}
