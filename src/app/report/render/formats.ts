// The formats that a report can be written in.

import type { Report } from '../report-model.ts'
import { reportAsHtml } from './html.ts'
import { reportAsMarkdown } from './markdown.ts'
import { reportAsSarif } from './sarif.ts'
import { asJson } from './text.ts'

export type ReportFormat = 'md' | 'json' | 'html' | 'sarif'

const WRITERS: Readonly<Record<ReportFormat, (report: Report) => string>> = {
  md: reportAsMarkdown,
  json: asJson,
  html: reportAsHtml,
  sarif: reportAsSarif,
}

export const REPORT_FORMATS = Object.keys(WRITERS) as readonly ReportFormat[]

export function renderReport(report: Report, format: ReportFormat): string {
  return WRITERS[format](report)
}
