// Renders the report of a review in each of the formats that reports have.
import type { ReportFormat } from '../render/formats.ts'
import { renderBlockPage } from '../render/html/page.ts'
import { renderBlocks } from '../render/markdown.ts'
import { toSafeJson } from '../render/text.ts'
import type { ReviewSessionReport } from './build-review-report.ts'
import { renderReviewSarif } from './render-review-sarif.ts'
import { buildReviewDocument, formatReviewHeadline } from './review-document.ts'

const RENDERERS: Readonly<Record<ReportFormat, (report: ReviewSessionReport) => string>> = {
  md: (report) => renderBlocks(buildReviewDocument(report)),
  json: toSafeJson,
  html: (report) => renderBlockPage(formatReviewHeadline(report), buildReviewDocument(report)),
  sarif: renderReviewSarif,
}

export function renderReviewReport(report: ReviewSessionReport, format: ReportFormat): string {
  return RENDERERS[format](report)
}
