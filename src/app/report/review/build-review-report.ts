// Builds the report of a review from its session and the record that it stored.

import type { Finding } from '../../../domain/issue/parse-findings.ts'
import { groupIntoSteps } from '../../../domain/plan/plan.ts'
import type { ClassifiedFinding } from '../../../domain/review/finding.ts'
import { ReviewRecord } from '../../../domain/review/review-record.ts'
import { toImportedFinding } from '../../../domain/review/to-imported-finding.ts'
import { hasEnded, type SessionRecord } from '../../../domain/session/session.ts'
import type { SessionOverview } from '../../../domain/session/session-state.ts'
import type { AppContext } from '../../context.ts'
import { openHomeArtifacts } from '../../open-artifacts.ts'
import { loadOverview } from '../../session/session-overview.ts'

export interface ReviewSessionReport extends SessionOverview {
  readonly is_over: boolean
  readonly duration_ms: number
  /** Null while the review runs, if it failed, and when its record was removed after some days. */
  readonly record: ReviewRecord | null
  /** What was confirmed, as findings that `fixwright fix` takes. */
  readonly issues: readonly Finding[]
  /** Their codes by step: those of one step can be fixed at the same time. */
  readonly steps: readonly (readonly string[])[]
}

export async function buildReviewReport(
  { store, home }: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
): Promise<ReviewSessionReport> {
  const overview = await loadOverview({ store, home }, session)
  const ref = overview.review?.record_ref
  const text =
    ref === undefined
      ? undefined
      : await openHomeArtifacts({ home })
          .getText(ref)
          .catch(() => undefined)
  const record = text === undefined ? null : ReviewRecord.parse(JSON.parse(text))
  const confirmed = listFindings(record, 'confirmed')
  return {
    ...overview,
    is_over: hasEnded(session.status),
    duration_ms: session.result?.duration_ms ?? Math.max(0, Date.now() - Date.parse(session.started_at)),
    record,
    issues: confirmed.flatMap((finding) => toImportedFinding(finding) ?? []),
    steps: groupIntoSteps(confirmed.map(({ id, file, group }) => ({ issue_code: id, file, group }))),
  }
}

/** In the order of file and line. */
export function listFindings(
  record: ReviewRecord | null,
  state: ClassifiedFinding['verdict']['state'],
): ClassifiedFinding[] {
  return (record?.findings ?? []).filter(({ verdict }) => verdict.state === state)
}
