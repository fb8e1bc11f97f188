// Renders two votes as SARIF 2.1.0, one result for each merged finding. A run without a verdict says that it was not successful: a reader
// must not take its few results for a clean change.

import type { ReviewFinding } from '../../../domain/review/finding.ts'
import { hashJson } from '../../../domain/session/idempotency-key.ts'
import { buildLocations, LEVELS, toSarifLog, truncateMessage } from '../render/sarif.ts'
import { toPlainLine } from '../render/text.ts'
import type { ReportedVoteFinding, VoteReport } from './build-vote-report.ts'

const FINGERPRINT = 'fixwrightVote/v1'

export function renderVoteSarif(report: VoteReport): string {
  const { session_id, verdict, mean, threshold, reasons, ballots, subject, started_at, ended_at, findings, votes } =
    report
  const rules = [...new Set(findings.map(toRuleId))]
  return toSarifLog({
    rules,
    automationId: `fixwright/${session_id}`,
    isSuccess: verdict !== 'no_verdict',
    ...{ started_at, ended_at, reasons },
    revision: subject.head.commit,
    results: findings.map((finding) => toResult(finding, rules)),
    properties: {
      verdict,
      mean,
      threshold,
      ballots,
      coverage: votes.map(({ voter, reviewed, not_reviewed }) => ({ voter, reviewed, not_reviewed })),
    },
  })
}

function toRuleId({ reports }: ReportedVoteFinding): string {
  return toPlainLine(reports[0].finding.category, 100) || 'review-finding'
}

function toResult(merged: ReportedVoteFinding, rules: readonly string[]) {
  const { id, severity, reports, voters } = merged
  const [{ finding }] = reports
  const ruleId = toRuleId(merged)
  return {
    ruleId,
    ruleIndex: rules.indexOf(ruleId),
    kind: 'fail',
    level: LEVELS[severity],
    message: { text: truncateMessage(`${finding.title}\n\n${finding.failure}`) },
    locations: buildLocations({ file: finding.file, line: toLine(finding) }),
    partialFingerprints: { [FINGERPRINT]: hashJson([finding.file, finding.quote, finding.failure]).slice(0, 32) },
    properties: { id, severity, voters, origin: finding.origin, reports: reports.map(toReport) },
  }
}

function toReport({ voter, finding }: ReportedVoteFinding['reports'][number]) {
  const { alias, severity, anchor, title, failure, suggested_fix } = finding
  return { voter, alias, severity, anchor, title, failure, suggested_fix }
}

/** Lines of the base are no places of the reviewed commit. */
function toLine({ anchor, side }: ReviewFinding): string | undefined {
  return anchor.kind === 'unanchored' || side === 'old' ? undefined : `${anchor.line}-${anchor.end_line}`
}
