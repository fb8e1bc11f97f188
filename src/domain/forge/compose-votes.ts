// The texts of two votes on a pull request: one comment for all of it, and a line comment for each finding on lines that the change shows.
import { createHash } from 'node:crypto'
import { renderMarkdownTable } from '../text/markdown-table.ts'
import { toOneLine, truncateText } from '../text/truncate.ts'
import { describeMissingVote } from '../vote/ballot.ts'
import type { CommentPlace } from '../vote/comment-place.ts'
import { describeVerdict } from '../vote/describe-verdict.ts'
import { formatPlace } from '../vote/format-place.ts'
import { listVoters } from '../vote/merge-votes.ts'
import type { CastVote, MergedFinding, VoteRecord, VoteSummary } from '../vote/vote-record.ts'
import { toPostedLine, toPostedText } from './posted-text.ts'

export interface VotesToPost extends Pick<VoteSummary, 'verdict' | 'mean' | 'reasons' | 'ballots' | 'head'> {
  /** Absent if the session ended before the votes were counted. */
  readonly record_ref?: string | undefined
}

export interface LineComment extends CommentPlace {
  /** The same for findings about the same quote, in whatever words. */
  readonly key: string
  readonly body: string
}

/** The rest is in the comment alone. */
const MAX_LINE_COMMENTS = 10
const MAX_CHARACTERS = 2_000

export function composeVoteComment(votes: VotesToPost, record: VoteRecord | undefined): string {
  const { verdict, mean, reasons, ballots, head } = votes
  const findings = record?.findings ?? []
  const onLines = listLineComments(record)
  return [
    `### ${describeVerdict(verdict, mean)}`,
    `Claude and Gemini have voted on ${head}; neither knew of the other.`,
    renderMarkdownTable(
      ['voter', 'vote'],
      ballots.map((ballot) => {
        const vote =
          ballot.kind === 'vote' ? `${ballot.vote} (${ballot.model})` : `none: ${describeMissingVote(ballot)}`
        return [ballot.voter, toPosted(vote)]
      }),
    ),
    ...(reasons.length === 0 ? [] : [reasons.map((reason) => `- ${toPosted(reason)}`).join('\n')]),
    `**Findings: ${findings.length}**${findings.length === 0 ? '' : `, ${onLines.length} of them on lines of the change`}`,
    ...(findings.length === 0 ? [] : [findings.map((finding) => `- ${describeFinding(finding)}`).join('\n')]),
    ...(record?.votes ?? []).map(describeVote),
  ].join('\n\n')
}

/** Those of the most important findings, one for each quote. */
export function listLineComments(record: VoteRecord | undefined): LineComment[] {
  const comments = new Map<string, LineComment>()
  for (const finding of record?.findings ?? []) {
    const { comment_at: place } = finding
    if (place === undefined) continue
    const key = toKey(finding)
    const first = comments.get(key)
    const body = first ? `${first.body}\n\n${describeInLine(finding)}` : describeInLine(finding)
    comments.set(key, { ...(first ?? { key, ...place }), body })
  }
  return [...comments.values()].slice(0, MAX_LINE_COMMENTS)
}

/** The line moves with other changes, and each review finds other words. */
function toKey({ reports: [{ finding }], comment_at }: MergedFinding): string {
  const { file, side, quote } = finding
  const what = quote.trim() === '' ? comment_at : toOneLine(quote)
  return createHash('sha256')
    .update(JSON.stringify([file, side, what]))
    .digest('hex')
    .slice(0, 20)
}

function describeFinding(merged: MergedFinding): string {
  const [{ finding }] = merged.reports
  const age = finding.origin === 'pre_existing' ? ', older than the change' : ''
  const place = `\`${formatPlace(finding).replaceAll('`', "'")}\` (${listVoters(merged).join(', ')}${age})`
  return `**${merged.id} ${merged.severity}** ${place}: ${toPosted(`${finding.title} ${finding.failure}`)}`
}

function describeInLine(merged: MergedFinding): string {
  const { severity, reports } = merged
  const [{ finding }] = reports
  const fix = finding.suggested_fix === undefined ? [] : [toPosted(`How to fix it: ${finding.suggested_fix}`)]
  const head = `**${severity}** (${listVoters(merged).join(', ')}): ${toPosted(finding.title)}`
  return [head, toPosted(finding.failure), ...fix].join('\n\n')
}

function describeVote({ voter, vote, verdict_text, feedback, reviewed, not_reviewed }: VoteWords): string {
  const skipped = not_reviewed.map(
    ({ path, why }) => `- \`${path.replaceAll('`', "'")}\` was not reviewed: ${toPosted(why)}`,
  )
  return [
    `<details><summary>${voter}: ${vote}</summary>`,
    toQuote(verdict_text),
    toQuote(feedback),
    `${reviewed.length} file(s) reviewed, ${not_reviewed.length} not.`,
    ...(skipped.length === 0 ? [] : [skipped.join('\n')]),
    '</details>',
  ].join('\n\n')
}

type VoteWords = Pick<CastVote, 'voter' | 'vote' | 'verdict_text' | 'feedback' | 'reviewed' | 'not_reviewed'>

function toPosted(text: string): string {
  return toPostedLine(text, MAX_CHARACTERS)
}

function toQuote(text: string): string {
  return toPostedText(truncateText(text.trim(), 2 * MAX_CHARACTERS)).replace(/^/gm, '> ')
}
