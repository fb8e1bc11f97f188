// Renders the report of a session, whatever its kind.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'
import { buildReport } from './build-report.ts'
import { type ReportFormat, renderReport } from './render/formats.ts'
import { renderBlockPage } from './render/html/page.ts'
import { renderBlocks } from './render/markdown.ts'
import { toSafeJson } from './render/text.ts'
import { buildReviewReport, type ReviewSessionReport } from './review/build-review-report.ts'
import { renderReviewSarif } from './review/render-review-sarif.ts'
import { buildReviewDocument, formatReviewHeadline } from './review/review-document.ts'
import { buildReviewFixReport, renderReviewFixReport } from './review/review-fix-report.ts'
import { buildVoteReport, type VoteReport } from './votes/build-vote-report.ts'
import { buildVoteDocument, formatVoteHeadline } from './votes/vote-document.ts'
import { renderVoteSarif } from './votes/vote-sarif.ts'

export interface RenderedReport {
  readonly text: string
  readonly isOver: boolean
}

type Renderers<Rendered> = Readonly<Record<ReportFormat, (report: Rendered) => string>>

const REVIEW_RENDERERS: Renderers<ReviewSessionReport> = {
  md: (report) => renderBlocks(buildReviewDocument(report)),
  json: toSafeJson,
  html: (report) => renderBlockPage(formatReviewHeadline(report), buildReviewDocument(report)),
  sarif: renderReviewSarif,
}

const VOTE_RENDERERS: Renderers<VoteReport> = {
  md: (report) => renderBlocks(buildVoteDocument(report)),
  json: toSafeJson,
  html: (report) => renderBlockPage(formatVoteHeadline(report), buildVoteDocument(report)),
  sarif: renderVoteSarif,
}

export async function renderSessionReport(
  app: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
  format: ReportFormat,
): Promise<RenderedReport> {
  if (session.kind === 'review') {
    const report = await buildReviewReport(app, session)
    return { text: REVIEW_RENDERERS[format](report), isOver: report.is_over }
  }
  if (session.kind === 'review-fix') {
    const report = await buildReviewFixReport(app, session)
    return { text: renderReviewFixReport(report, format), isOver: report.fixes.is_over }
  }
  if (session.kind === 'votes') {
    const report = await buildVoteReport(app, session)
    return { text: VOTE_RENDERERS[format](report), isOver: report.is_over }
  }
  const report = await buildReport(app, session)
  return { text: renderReport(report, format), isOver: report.is_over }
}
