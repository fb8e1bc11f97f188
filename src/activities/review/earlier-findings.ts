// Earlier reviews of the repository leave two kinds of findings: those that still stand, which are looked at by id first, and those that
// were dismissed or refuted, with the reasons.
import type { ShownEarlierFinding } from '../../agents/prompts/review.ts'
import type { ClassifiedFinding, ReportedFinding } from '../../domain/review/finding.ts'
import type { DismissedFinding } from '../../domain/review/refute-dismissed.ts'
import { parseReviewOptions } from '../../domain/review/review-options.ts'
import { ReviewRecord } from '../../domain/review/review-record.ts'
import type { ActivityContext, Session } from '../context.ts'
import type { LoadedChange } from './load-change.ts'

/** Further back, nobody remembers either. */
const MAX_REVIEWS = 5
const MAX_EARLIER = 50
const MAX_DISMISSED = 200

export interface EarlierFindings {
  readonly standing: readonly ShownEarlierFinding[]
  readonly dismissed: readonly DismissedFinding[]
  /** A standing finding as if it had been reported now. */
  report(id: string): ReportedFinding | undefined
}

export async function loadEarlierFindings(
  context: Pick<ActivityContext, 'store' | 'artifacts'>,
  session: Session,
  { changes }: LoadedChange,
): Promise<EarlierFindings> {
  const records = await loadRecords(context, session)
  const changed = new Set(changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])))
  const latest = records[0]
  const standing = new Map(
    (latest?.findings ?? [])
      .filter(({ verdict }) => verdict.state === 'confirmed' || verdict.state === 'unverified')
      .slice(0, MAX_EARLIER)
      .map((finding) => [toEarlierId(latest?.session_id ?? '', finding), finding]),
  )
  const refuted = records.flatMap(({ session_id, findings }) =>
    findings.flatMap((finding) => toDismissed(session_id, finding)),
  )
  const ignored = await context.store.issues.list({ repository_id: session.record.repository_id, status: 'ignored' })
  const dismissed = [
    ...ignored.map(({ issue_code: id, file, description: failure, category, resolution_note }) => ({
      ...{ id, file, failure, category },
      reason: resolution_note ?? 'a person ignores it',
    })),
    ...refuted,
  ]
  return {
    standing: [...standing].map(([id, { file, quote, title, failure }]) => ({ id, file, quote, title, failure })),
    dismissed: dismissed.filter(({ file }) => changed.has(file)).slice(0, MAX_DISMISSED),
    report: (id) => {
      const finding = standing.get(id)
      return finding && toReported(id, finding)
    },
  }
}

/** Loads the reviews of the same base, the newest first. A review whose artifact has been removed is left out. */
async function loadRecords(
  { store, artifacts }: Pick<ActivityContext, 'store' | 'artifacts'>,
  { id, record }: Session,
): Promise<ReviewRecord[]> {
  const { name } = parseReviewOptions(record).against
  const ended = await store.sessions.list({ repository_id: record.repository_id, running: false })
  const own = ended.filter(
    (each) => each.result?.review && each.session_id !== id && parseReviewOptions(each).against.name === name,
  )
  const records: ReviewRecord[] = []
  for (const { result } of own) {
    const ref = result?.review?.record_ref
    const text = ref === undefined ? undefined : await artifacts.getText(ref).catch(() => undefined)
    if (text !== undefined) records.push(ReviewRecord.parse(JSON.parse(text)))
    if (records.length === MAX_REVIEWS) break
  }
  return records
}

function toEarlierId(sessionId: string, { id }: Pick<ClassifiedFinding, 'id'>): string {
  return `${sessionId}:${id}`
}

function toDismissed(sessionId: string, finding: ClassifiedFinding): DismissedFinding[] {
  const { verdict, file, quote, category, failure } = finding
  if (verdict.state !== 'refuted') return []
  return [{ id: toEarlierId(sessionId, finding), file, quote, category, failure, reason: verdict.reason }]
}

function toReported(id: string, { anchor, title, suggested_fix, ...finding }: ClassifiedFinding): ReportedFinding {
  return {
    ...finding,
    id,
    issue: title,
    line: anchor.kind === 'unanchored' ? null : String(anchor.line),
    fix_hint: suggested_fix ?? null,
  }
}
