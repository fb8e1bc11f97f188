// Takes issues or alerts of a forge into the store, as they are at this moment: what is written there later is not looked at.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { parseRemote, toWebOrigin } from '../../domain/forge/forge-address.ts'
import { openForge } from '../../integrations/forge/open-forge.ts'
import type { AppContext } from '../context.ts'
import { type ImportRequest, importReport, type ReportImportOutcome } from '../imports/import-report.ts'
import { loadOwnSettings } from '../settings/load-settings.ts'
import { explainForgeError } from './explain-forge-error.ts'

export interface ForgeImportRequest extends Omit<ImportRequest, 'report' | 'format'> {
  /** `owner/name`. */
  readonly from: string
  readonly labels: readonly string[]
  readonly codeScanning: boolean
}

export async function importFromForge(
  app: AppContext,
  { from, labels, codeScanning, ...request }: ForgeImportRequest,
): Promise<ReportImportOutcome> {
  if (codeScanning === labels.length > 0)
    throw new FixwrightError('bad_input', `say what to import from ${from}: --label for issues, or --code-scanning`)
  const { github } = await loadOwnSettings(app)
  const url = `${toWebOrigin(github.host)}/${from}.git`
  if (parseRemote(url) === undefined)
    throw new FixwrightError('bad_input', `"${from}" names no repository: give github:owner/name`)
  const { api } = await openForge(url, { settings: github, env: app.env })
  if (api === undefined) throw new FixwrightError('forge_not_configured', `${from} is not on ${github.host}`)
  const report = await explainForgeError(() => (codeScanning ? api.describeAlerts() : api.describeIssues(labels)))
  const format = codeScanning ? 'github' : 'github-issues'
  const category = request.category ?? (codeScanning ? undefined : labels.toSorted().join())
  return await importReport(app, { ...request, category, format, report })
}
