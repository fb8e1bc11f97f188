import type { ReportFormat } from '../render/formats.ts'
import { renderBlockPage } from '../render/html/page.ts'
import { renderBlocks } from '../render/markdown.ts'
import { toSafeJson } from '../render/text.ts'
import type { VoteReport } from './build-vote-report.ts'
import { buildVoteDocument, formatVoteHeadline } from './vote-document.ts'
import { renderVoteSarif } from './vote-sarif.ts'

const RENDERERS: Readonly<Record<ReportFormat, (report: VoteReport) => string>> = {
  md: (report) => renderBlocks(buildVoteDocument(report)),
  json: toSafeJson,
  html: (report) => renderBlockPage(formatVoteHeadline(report), buildVoteDocument(report)),
  sarif: renderVoteSarif,
}

export function renderVoteReport(report: VoteReport, format: ReportFormat): string {
  return RENDERERS[format](report)
}
