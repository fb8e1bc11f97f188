// Renders a report as SARIF 2.1.0. The findings are the baseline: an open issue is `unchanged`, a fixed one `absent`.

import { Finding } from '../../../domain/issue/parse-findings.ts'
import type { ReviewFinding } from '../../../domain/review/finding.ts'
import { truncateText } from '../../../domain/text/truncate.ts'
import { OWN_FINGERPRINT } from '../../../integrations/importers/formats/sarif.ts'
import { readPackageVersion } from '../../../runtime/home/package-root.ts'
import type { IssueReport, Report } from '../report-model.ts'
import { toPlainLine, toPlainText, toSafeJson } from './text.ts'

const SARIF_SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
export const LEVELS = { critical: 'error', high: 'error', medium: 'warning', low: 'note', info: 'note' } as const
const MAX_MESSAGE_CHARS = 4_000

export function renderSarif(report: Report): string {
  const { session_id, status, final_status, branch, base, started_at, ended_at } = report
  const { cost_usd, cost_partial, duration_ms, sandbox } = report
  const rules = [...new Set(report.issues.map(({ category }) => toRuleId(category)))]
  return toSarifLog({
    rules,
    automationId: `fixwright/${session_id}`,
    isSuccess: final_status !== 'failed' && final_status !== 'cancelled',
    ...{ started_at, ended_at },
    results: report.issues.map((issue) => toSarifResult(issue, rules)),
    properties: { status, final_status, branch, base, cost_usd, cost_partial, duration_ms, sandbox },
  })
}

interface SarifRun {
  readonly rules: readonly string[]
  readonly automationId: string
  readonly isSuccess: boolean
  readonly started_at: string
  readonly ended_at: string | null
  /** Why it was not successful. */
  readonly reasons?: readonly string[]
  /** The commit that the results are about, where it is only one. */
  readonly revision?: string
  readonly results: readonly object[]
  readonly properties: object
}

/** One run of ours, as a whole log. */
export function toSarifLog({
  rules,
  automationId,
  isSuccess,
  started_at,
  ended_at,
  reasons = [],
  revision,
  results,
  properties,
}: SarifRun): string {
  const notifications = reasons.map((reason) => ({ level: 'error', message: { text: truncateMessage(reason) } }))
  const run = {
    tool: {
      driver: {
        name: 'fixwright',
        version: readPackageVersion(),
        rules: rules.map((id) => ({ id, shortDescription: { text: truncateMessage(`Review finding: ${id}`) } })),
      },
    },
    automationDetails: { id: automationId },
    columnKind: 'utf16CodeUnits',
    ...(revision === undefined
      ? {}
      : { versionControlProvenance: [{ repositoryUri: 'file:///', revisionId: revision }] }),
    invocations: [
      {
        executionSuccessful: isSuccess,
        startTimeUtc: started_at,
        ...(ended_at === null ? {} : { endTimeUtc: ended_at }),
        ...(notifications.length > 0 ? { toolExecutionNotifications: notifications } : {}),
      },
    ],
    results,
    properties,
  }
  return toSafeJson({ $schema: SARIF_SCHEMA, version: '2.1.0', runs: [run] })
}

export function toRuleId(category: string | null | undefined): string {
  return toPlainLine(category ?? '', 100) || 'review-finding'
}

function toSarifResult(issue: IssueReport, rules: readonly string[]) {
  const ruleId = toRuleId(issue.category)
  const { issue_code, state, unproven, silenced, proof, outcome, verification, iterations, cost_usd, cost_partial } =
    issue
  return {
    ruleId,
    ruleIndex: rules.indexOf(ruleId),
    kind: 'fail',
    level: LEVELS[issue.severity],
    message: {
      text: truncateMessage([issue.title, issue.description, describeReason(issue)].filter(Boolean).join('\n\n')),
    },
    locations: buildLocations(issue),
    partialFingerprints: { [OWN_FINGERPRINT]: issue.issue_id },
    baselineState: state === 'fixed' ? 'absent' : 'unchanged',
    suppressions: toSuppressions(issue),
    properties: {
      // The finding as it is, for whoever takes this report in place of findings: the rest of a result is made for readers.
      finding: selectFinding(issue),
      ...{ issue_code, state, unproven, silenced, iterations, cost_usd, cost_partial },
      proof: proof?.verdict ?? null,
      commit_sha: outcome?.commit_sha ?? null,
      challenger_score: outcome?.fix_gemini_score ?? null,
      verification: verification?.verdict ?? null,
    },
  }
}

function selectFinding(issue: IssueReport): Record<string, unknown> {
  return Object.fromEntries(Object.keys(Finding.shape).map((name) => [name, issue[name as keyof IssueReport]]))
}

function describeReason({ state, reason }: IssueReport): string {
  return state !== 'fixed' && reason !== null ? `Not fixed: ${reason}` : ''
}

const JUSTIFICATIONS = {
  fixed: 'fixed',
  settled: 'settled before the session',
  false_positive: 'a false positive, and the challenger agreed',
} as const

// Fixed issues are suppressed, too, for readers that ignore baselines. SARIF wants `suppressions` on all results of a
// run or on none, so every result has the list.
function toSuppressions({ state, reason, outcome }: IssueReport): object[] {
  if (state !== 'fixed' && state !== 'settled' && state !== 'false_positive') return []
  const more = state === 'fixed' ? outcome?.commit_sha && `in commit ${outcome.commit_sha}` : reason
  const justification = toPlainLine([JUSTIFICATIONS[state], more].filter(Boolean).join(': '))
  return [{ kind: 'external', status: 'accepted', justification }]
}

/** The lines of the reviewed commit; those of the file before the change are no place in it. */
export function formatNewLines({ anchor, side }: Pick<ReviewFinding, 'anchor' | 'side'>): string | undefined {
  return anchor.kind === 'unanchored' || side === 'old' ? undefined : `${anchor.line}-${anchor.end_line}`
}

/** Ignores a path that leaves the repository. */
export function buildLocations({
  file,
  line,
}: {
  readonly file: string
  readonly line?: string | null | undefined
}): object[] {
  const segments = file.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.length === 0 || segments.includes('..') || file.startsWith('/')) return []
  const uri = segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join('/')
  const [, start = '', end = start] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(line ?? '') ?? []
  const [startLine, endLine] = [Number(start), Number(end)]
  const region = startLine > 0 ? { region: { startLine, endLine: Math.max(startLine, endLine) } } : {}
  return [{ physicalLocation: { artifactLocation: { uri, uriBaseId: '%SRCROOT%' }, ...region } }]
}

/** SARIF reads brackets as links and braces as placeholders; text from others may contain neither. */
export function truncateMessage(text: string): string {
  return truncateText(toPlainText(text).trim(), MAX_MESSAGE_CHARS)
    .replace(/[\\[\]]/g, '\\$&')
    .replace(/[{}]/g, '$&$&')
}
