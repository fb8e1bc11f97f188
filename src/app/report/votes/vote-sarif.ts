// Renders two votes as SARIF 2.1.0, one result for each merged finding. A run without a verdict says that it was not successful: a reader
// must not take its few results for a clean change.

import { hashJson } from '../../../domain/session/idempotency-key.ts'
import { buildLocations, formatNewLines, LEVELS, toRuleId, toSarifLog, truncateMessage } from '../render/sarif.ts'
import type { ReportedVoteFinding, VoteReport } from './build-vote-report.ts'

const FINGERPRINT = 'fixwrightVote/v1'

export function renderVoteSarif(report: VoteReport): string {
  const { session_id, verdict, mean, threshold, reasons, ballots, subject, started_at, ended_at, findings, votes } =
    report
  const rules = [...new Set(findings.map(({ reports }) => toRuleId(reports[0].finding.category)))]
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

function toResult(merged: ReportedVoteFinding, rules: readonly string[]) {
  const { id, severity, reports, voters } = merged
  const [{ finding }] = reports
  const ruleId = toRuleId(finding.category)
  return {
    ruleId,
    ruleIndex: rules.indexOf(ruleId),
    kind: 'fail',
    level: LEVELS[severity],
    message: { text: truncateMessage(`${finding.title}\n\n${finding.failure}`) },
    locations: buildLocations({ file: finding.file, line: formatNewLines(finding) }),
    partialFingerprints: { [FINGERPRINT]: hashJson([finding.file, finding.quote, finding.failure]).slice(0, 32) },
    properties: { id, severity, voters, origin: finding.origin, reports: reports.map(toReport) },
  }
}

function toReport({ voter, finding }: ReportedVoteFinding['reports'][number]) {
  const { alias, severity, anchor, title, failure, suggested_fix } = finding
  return { voter, alias, severity, anchor, title, failure, suggested_fix }
}
