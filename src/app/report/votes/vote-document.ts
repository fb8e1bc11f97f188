// The report of two votes as a document: the verdict first, then the findings, those of both voters before all others, then each vote in its
// own words with what it did not read.
import { type Ballot, describeMissingVote } from '../../../domain/vote/ballot.ts'
import { describeVerdict } from '../../../domain/vote/describe-verdict.ts'
import { formatPlace } from '../../../domain/vote/format-place.ts'
import type { Block, Inline, InlineLine } from '../render/blocks.ts'
import type { ReportedVoteFinding, VoteReport } from './build-vote-report.ts'

export function formatVoteHeadline({ verdict, mean }: VoteReport): string {
  return describeVerdict(verdict, mean)
}

export function buildVoteDocument(report: VoteReport): Block[] {
  const { subject, reasons, ballots, findings, votes, session_id } = report
  const { base, head } = subject
  return [
    { kind: 'heading', level: 1, text: [formatVoteHeadline(report)] },
    {
      kind: 'paragraph',
      text: [
        'Two votes on ',
        ...nameCommit(head.name, head.commit),
        ' against ',
        ...nameCommit(base.name, base.commit),
        '.',
      ],
    },
    ...(reasons.length > 0 ? [{ kind: 'list', items: reasons.map((reason) => [reason]) } as const] : []),
    {
      kind: 'table',
      head: ['voter', 'vote', 'model'],
      rows: ballots.map((ballot) => [
        [ballot.voter],
        [describeBallot(ballot)],
        [ballot.kind === 'vote' ? ballot.model : ''],
      ]),
    },
    { kind: 'heading', level: 2, text: [`Findings (${findings.length})`] },
    findings.length === 0
      ? { kind: 'paragraph', text: [votes.length === 0 ? 'Nobody has voted.' : 'No voter reports any.'] }
      : { kind: 'list', items: findings.map(describeFinding) },
    ...votes.flatMap((vote): Block[] => [
      { kind: 'heading', level: 2, text: [`${vote.voter}: ${vote.vote}`] },
      { kind: 'paragraph', text: [vote.verdict_text] },
      { kind: 'paragraph', text: [vote.feedback] },
      {
        kind: 'paragraph',
        text: [`${vote.reviewed.length} file(s) reviewed, ${vote.not_reviewed.length} not.`],
      },
      ...(vote.not_reviewed.length > 0
        ? [
            {
              kind: 'list',
              items: vote.not_reviewed.map(
                ({ path, why }): InlineLine => [{ code: path }, ` was not reviewed: ${why}`],
              ),
            } as const,
          ]
        : []),
    ]),
    { kind: 'paragraph', text: ['All prompts, replies and transcripts: ', { code: `fixwright logs ${session_id}` }] },
  ]
}

function nameCommit(name: string, commit: string): Inline[] {
  return [{ code: name }, ' (', { code: commit.slice(0, 10) }, ')']
}

function describeBallot(ballot: Ballot): string {
  return ballot.kind === 'vote' ? String(ballot.vote) : `none: ${describeMissingVote(ballot)}`
}

function describeFinding({ id, severity, reports, voters }: ReportedVoteFinding): InlineLine {
  const [{ finding }] = reports
  const who = voters.length > 1 ? `both voters` : voters.join()
  const age = finding.origin === 'pre_existing' ? ', older than the change' : ''
  const others = reports.slice(1).map((report) => ` ${report.voter}: ${report.finding.failure}`)
  return [
    { strong: `${id} ${severity}` },
    ' ',
    { code: formatPlace(finding) },
    ` (${who}${age}): ${finding.title} ${finding.failure}${others.join('')}`,
  ]
}
