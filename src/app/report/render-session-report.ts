// Renders the report of a session, whatever its kind.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'
import { buildReport } from './build-report.ts'
import { type ReportFormat, renderReport } from './render/formats.ts'
import { buildReviewReport } from './review/build-review-report.ts'
import { renderReviewReport } from './review/render-review.ts'
import { buildReviewFixReport, renderReviewFixReport } from './review/review-fix-report.ts'
import { buildVoteReport } from './votes/build-vote-report.ts'
import { renderVoteReport } from './votes/vote-formats.ts'

export interface RenderedReport {
  readonly text: string
  readonly isOver: boolean
}

export async function renderSessionReport(
  app: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
  format: ReportFormat,
): Promise<RenderedReport> {
  if (session.kind === 'review') {
    const report = await buildReviewReport(app, session)
    return { text: renderReviewReport(report, format), isOver: report.is_over }
  }
  if (session.kind === 'review-fix') {
    const report = await buildReviewFixReport(app, session)
    return { text: renderReviewFixReport(report, format), isOver: report.fixes.is_over }
  }
  if (session.kind === 'votes') {
    const report = await buildVoteReport(app, session)
    return { text: renderVoteReport(report, format), isOver: report.is_over }
  }
  const report = await buildReport(app, session)
  return { text: renderReport(report, format), isOver: report.is_over }
}
