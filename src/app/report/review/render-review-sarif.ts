// Renders the report of a review as SARIF 2.1.0. Refuted and merged findings are suppressed, with the reason; unverified ones are for a
// person to look at (`review`).
import type { ClassifiedFinding } from '../../../domain/review/finding.ts'
import { toImportedFinding } from '../../../domain/review/to-imported-finding.ts'
import { OWN_FINGERPRINT } from '../../../integrations/importers/formats/sarif.ts'
import { buildLocations, formatNewLines, LEVELS, toRuleId, toSarifLog, truncateMessage } from '../render/sarif.ts'
import { toPlainLine } from '../render/text.ts'
import type { ReviewSessionReport } from './build-review-report.ts'

export function renderReviewSarif(report: ReviewSessionReport): string {
  const findings = report.record?.findings ?? []
  const rules = [...new Set(findings.map(({ category }) => toRuleId(category)))]
  const { session_id, started_at, ended_at, status, review, cost_usd, cost_partial, duration_ms } = report
  return toSarifLog({
    rules,
    automationId: `fixwright/review/${session_id}`,
    isSuccess: report.record !== null,
    ...{ started_at, ended_at },
    results: findings.map((finding) => toResult(finding, rules, session_id)),
    properties: { status, review, cost_usd, cost_partial, duration_ms },
  })
}

function toResult(finding: ClassifiedFinding, rules: readonly string[], sessionId: string) {
  const { id, alias, verdict, severity, title, failure, line_hash, experts, origin, side, anchor } = finding
  const ruleId = toRuleId(finding.category)
  return {
    ruleId,
    ruleIndex: rules.indexOf(ruleId),
    kind: verdict.state === 'unverified' ? 'review' : 'fail',
    level: LEVELS[severity],
    message: { text: truncateMessage([title, failure, `${verdict.state}: ${verdict.reason}`].join('\n\n')) },
    locations: buildLocations({ file: finding.file, line: formatNewLines(finding) }),
    partialFingerprints: {
      ...(line_hash === undefined ? {} : { primaryLocationLineHash: line_hash }),
      [OWN_FINGERPRINT]: `${sessionId}:${id}`,
    },
    suppressions: toSuppressions(finding),
    properties: {
      finding: toImportedFinding(finding),
      id,
      alias,
      ...{ state: verdict.state, experts, origin, side, anchor },
    },
  }
}

// SARIF wants `suppressions` on all results of a run or on none, so every result has the list.
function toSuppressions({ verdict }: ClassifiedFinding): object[] {
  if (verdict.state !== 'refuted' && verdict.state !== 'merged') return []
  const into = verdict.state === 'merged' ? ` into ${verdict.into}` : ''
  return [
    { kind: 'external', status: 'accepted', justification: toPlainLine(`${verdict.state}${into}: ${verdict.reason}`) },
  ]
}
