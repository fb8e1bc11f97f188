// Turns the report of a review into headings, lists and foldable text, for every format that people read.

import { formatCost } from '../../../domain/budget/spending.ts'
import type { ClassifiedFinding } from '../../../domain/review/finding.ts'
import { truncateText } from '../../../domain/text/truncate.ts'
import { formatPlace } from '../../../domain/vote/format-place.ts'
import type { Block, InlineLine } from '../render/blocks.ts'
import { formatTimeSpent } from '../render/text.ts'
import { listFindings, type ReviewSessionReport } from './build-review-report.ts'

const MAX_WORDS = 2_000

export function formatReviewHeadline({ review, status }: ReviewSessionReport): string {
  if (!review) return `Review ${status}: nothing is known of the change`
  const { confirmed, refuted, unverified } = review
  return `Review: ${confirmed} confirmed, ${unverified} unverified, ${refuted} refuted`
}

export function buildReviewDocument(report: ReviewSessionReport): Block[] {
  const { record, review } = report
  return [
    { kind: 'heading', level: 1, text: [formatReviewHeadline(report)] },
    { kind: 'paragraph', text: [describeOutcome(report)] },
    { kind: 'list', items: listFacts(report) },
    ...buildSection('Confirmed', listFindings(record, 'confirmed')),
    ...buildSection('Unverified', listFindings(record, 'unverified')),
    ...foldSection('Refuted', listFindings(record, 'refuted')),
    ...foldSection('Merged', listFindings(record, 'merged')),
    ...(review && record === null
      ? [{ kind: 'paragraph', text: ['The findings were removed: artifacts are kept for some days.'] } as const]
      : []),
    {
      kind: 'paragraph',
      text: ['All prompts, replies and transcripts: ', { code: `fixwright logs ${report.session_id}` }],
    },
  ]
}

function describeOutcome({ review, is_over, ending }: ReviewSessionReport): string {
  if (!is_over) return 'The review is not over: this is what there is so far.'
  if (!review) return `There is no review of this change: ${ending?.reason ?? 'it ended early'}`
  const left = review.not_reviewed.filter(({ why }) => why !== 'binary').length
  if (left > 0) return `${left} of ${review.files_changed} changed file(s) were not reviewed.`
  return 'The whole change was reviewed.'
}

function listFacts({
  review,
  record,
  cost_usd,
  cost_partial,
  budgets,
  duration_ms,
}: ReviewSessionReport): InlineLine[] {
  const spent = `${formatCost({ cost_usd, cost_partial }, budgets)}, ${formatTimeSpent(duration_ms, budgets)}`
  if (!review) return [[spent]]
  const { head, base, files_changed, files_reviewed, not_reviewed, imported } = review
  return [
    [{ strong: 'change:' }, ` ${base.slice(0, 10)} to ${head.slice(0, 10)}, ${files_changed} file(s)`],
    [{ strong: 'reviewed:' }, ` ${files_reviewed} file(s)`],
    ...not_reviewed.map(({ path, why }): InlineLine => [{ strong: 'not reviewed:' }, ' ', { code: path }, ` (${why})`]),
    ...(record?.experts ?? []).map(
      ({ name, read, found }): InlineLine => [{ strong: `${name}:` }, ` read ${read.length} file(s), found ${found}`],
    ),
    ...(record?.earlier ?? []).map(
      ({ id, state, reason }): InlineLine => [
        { strong: 'found before:' },
        ` ${id} is ${state.replace('_', ' ')}: ${reason}`,
      ],
    ),
    ...(imported ? [[{ strong: 'issues:' }, ` ${imported.issues} in the task ${imported.task_id}`] as const] : []),
    [{ strong: 'cost:' }, ` ${spent}`],
  ]
}

function buildSection(title: string, findings: readonly ClassifiedFinding[]): Block[] {
  if (findings.length === 0) return []
  return [{ kind: 'heading', level: 2, text: [title] }, ...findings.flatMap(buildFinding)]
}

function buildFinding(finding: ClassifiedFinding): Block[] {
  const { id, title, failure, severity, origin, category, experts, quote, verdict, suggested_fix } = finding
  const age = origin === 'pre_existing' ? ', was there before' : ''
  return [
    { kind: 'heading', level: 3, text: [`${id} ${title}`] },
    {
      kind: 'list',
      items: [
        [
          { strong: `${severity}${age}` },
          ` · ${category} · `,
          { code: describePlace(finding) },
          ` · ${experts.join(', ')}`,
        ],
        [{ strong: 'failure:' }, ` ${cut(failure)}`],
        [{ strong: `${verdict.state}:` }, ` ${cut(verdict.reason)}`],
        ...(suggested_fix ? [[{ strong: 'fix:' }, ` ${cut(suggested_fix)}`] as const] : []),
        ...(finding.anchor.note ? [[{ strong: 'place:' }, ` ${cut(finding.anchor.note)}`] as const] : []),
      ],
    },
    ...(quote.trim() === '' ? [] : [{ kind: 'fold', title: ['quote'], language: 'text', text: cut(quote) } as const]),
  ]
}

function foldSection(title: string, findings: readonly ClassifiedFinding[]): Block[] {
  if (findings.length === 0) return []
  const text = findings
    .map((finding) => {
      const { id, title: what, verdict } = finding
      const into = verdict.state === 'merged' ? ` into ${verdict.into}` : ''
      return `${id} ${describePlace(finding)}: ${what}\n   ${verdict.state}${into}: ${cut(verdict.reason)}`
    })
    .join('\n')
  return [
    { kind: 'heading', level: 2, text: [title] },
    { kind: 'fold', title: [`${findings.length} finding(s), with the reasons`], language: 'text', text },
  ]
}

export function describePlace(finding: ClassifiedFinding): string {
  return `${formatPlace(finding)}${finding.side === 'old' ? ' (before the change)' : ''}`
}

function cut(text: string): string {
  return truncateText(text, MAX_WORDS)
}
