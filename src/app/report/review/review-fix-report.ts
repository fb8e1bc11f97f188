// The report of a session that reviewed a change and fixed what was confirmed: both parts, and what is left. SARIF is about the reviewed
// commit, so it is that of the review.
import type { FindingsEnd } from '../../../domain/review-fix/leftover.ts'
import type { SessionRecord } from '../../../domain/session/session.ts'
import type { AppContext } from '../../context.ts'
import { listLeftovers } from '../../list-leftovers.ts'
import { buildReport } from '../build-report.ts'
import type { Block } from '../render/blocks.ts'
import type { ReportFormat } from '../render/formats.ts'
import { renderHtml } from '../render/html/page.ts'
import { renderMarkdown } from '../render/markdown.ts'
import { toSafeJson } from '../render/text.ts'
import type { Report } from '../report-model.ts'
import { buildReviewReport, type ReviewSessionReport } from './build-review-report.ts'
import { renderReviewSarif } from './render-review-sarif.ts'
import { buildReviewDocument } from './review-document.ts'

export interface ReviewFixReport {
  readonly session: SessionRecord
  readonly review: ReviewSessionReport
  readonly fixes: Report
  /** Null while the session runs. */
  readonly findings: FindingsEnd | null
}

export async function buildReviewFixReport(
  app: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
): Promise<ReviewFixReport> {
  return {
    session,
    review: await buildReviewReport(app, session),
    fixes: await buildReport(app, session),
    findings: session.result?.findings ?? null,
  }
}

export function renderReviewFixReport(report: ReviewFixReport, format: ReportFormat): string {
  const { fixes, review, findings } = report
  switch (format) {
    case 'json':
      return toSafeJson({ ...fixes, record: review.record, steps: review.steps, findings })
    case 'sarif':
      return renderReviewSarif(review)
    case 'md':
      return renderMarkdown(fixes, buildRest(report))
    case 'html':
      return renderHtml(fixes, buildRest(report))
  }
}

function buildRest({ session, review, findings }: ReviewFixReport): Block[] {
  return [...(findings?.leftovers.length ? buildLeftovers(session) : []), ...buildReviewDocument(review)]
}

function buildLeftovers(session: SessionRecord): Block[] {
  return [
    { kind: 'heading', level: 2, text: ['Left over'] },
    ...listLeftovers(session).leftovers.flatMap(({ id, status, reason, issue }): Block[] => [
      { kind: 'paragraph', text: [{ strong: `${id} ${status}` }, `: ${reason}`] },
      {
        kind: 'fold',
        title: [`the issue that it would become`],
        language: 'text',
        text: `${issue.title}\n\n${issue.body}`,
      },
    ]),
  ]
}
