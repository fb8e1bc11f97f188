import type { Report } from '../report-model.ts'
import { renderHtml } from './html/page.ts'
import { renderMarkdown } from './markdown.ts'
import { renderSarif } from './sarif.ts'
import { toSafeJson } from './text.ts'

export type ReportFormat = 'md' | 'json' | 'html' | 'sarif'

const RENDERERS: Readonly<Record<ReportFormat, (report: Report) => string>> = {
  md: (report) => renderMarkdown(report),
  json: toSafeJson,
  html: (report) => renderHtml(report),
  sarif: renderSarif,
}

export const REPORT_FORMATS = Object.keys(RENDERERS) as readonly ReportFormat[]

export function renderReport(report: Report, format: ReportFormat): string {
  return RENDERERS[format](report)
}
