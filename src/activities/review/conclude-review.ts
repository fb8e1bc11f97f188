// The end of a review: each finding gets the state in which it ends, the whole is stored as a record, and confirmed findings become
// issues where that was asked for.
import { classifyFindings, countFindings } from '../../domain/review/classify-findings.ts'
import type { ClassifiedFinding } from '../../domain/review/finding.ts'
import type { ReviewRecord, ReviewSummary } from '../../domain/review/review-record.ts'
import { toImportedFinding, toReviewImport } from '../../domain/review/to-imported-finding.ts'
import { logFindingsImported, logReviewVerified } from '../../domain/session/events/logs/review-logs.ts'
import type { ConcludeReviewInput } from '../../domain/workflow-types/index.ts'
import { appendEvents } from '../append-events.ts'
import { storeArtifact } from '../artifacts.ts'
import { type ActivityContext, loadSession, loadWorkspace, type Session } from '../context.ts'
import { loadChange, loadNamedFiles } from './load-change.ts'
import { loadReportedReview } from './review-change.ts'
import { loadVerdicts } from './verify-findings.ts'

export async function concludeReview(
  context: ActivityContext,
  { sessionId, notVerified }: ConcludeReviewInput,
): Promise<ReviewSummary> {
  const session = await loadSession(context, sessionId)
  const workspace = loadWorkspace(context, sessionId)
  const change = await loadChange(session, workspace)
  const reported = await loadReportedReview(context, sessionId)
  const verdicts = await loadVerdicts(context, sessionId)
  const named = [...reported.findings, ...verdicts.flatMap(({ evidence }) => evidence)].map(({ file }) => file)
  const findings = classifyFindings(reported.findings, verdicts, await loadNamedFiles(workspace, change, named), {
    decided: new Map(Object.entries(reported.decided)),
    whyNot: new Map(Object.entries(notVerified)),
  })
  const { head, base, options, changes } = change
  const record: ReviewRecord = {
    session_id: sessionId,
    ...{ head, base },
    experts: reported.experts.map(({ name, read, found }) => ({ name, read, found: found.length })),
    reviewed: reported.reviewed,
    not_reviewed: reported.not_reviewed,
    groups: reported.groups,
    findings,
    earlier: reported.earlier,
  }
  const record_ref = await storeArtifact(context, sessionId, 'findings', 'record', JSON.stringify(record))
  const counts = countFindings(findings)
  await appendEvents(context, sessionId, [logReviewVerified(counts)])
  const confirmed = findings.filter(({ verdict }) => verdict.state === 'confirmed')
  const isFixing = session.record.kind === 'review-fix'
  const imported =
    options.import || isFixing ? await storeConfirmed(context, session, confirmed, { head, record_ref }) : undefined
  const outside = confirmed.filter((finding) => toImportedFinding(finding) === undefined)
  return {
    ...{ head, base },
    files_changed: changes.length,
    files_reviewed: record.reviewed.length,
    not_reviewed: record.not_reviewed,
    experts: record.experts.map(({ name }) => name),
    ...counts,
    ...(imported ? { imported } : {}),
    ...(isFixing && outside.length > 0 ? { outside: outside.map(toOutside) } : {}),
    record_ref,
  }
}

/** A finding whose path leaves the repository can't be an issue; it stays in the record. */
async function storeConfirmed(
  context: ActivityContext,
  { id, record }: Session,
  confirmed: readonly ClassifiedFinding[],
  { head, record_ref }: { readonly head: string; readonly record_ref: string },
): Promise<NonNullable<ReviewSummary['imported']>> {
  const { repository_id, task_id } = record
  const issues = await context.masking.maskValues(
    confirmed.map(toImportedFinding).filter((finding) => finding !== undefined),
  )
  let taken = issues.length
  if (record.kind === 'review-fix') await context.store.adoptFindings(id, issues)
  else {
    const request = toReviewImport({ task_id, repository_id, head, record_ref, by: `session ${id}` }, issues)
    const { counts } = (await context.store.imports.get(task_id)) ?? (await context.store.imports.apply(request))
    taken = counts.created
  }
  await appendEvents(context, id, [logFindingsImported({ task: task_id, issues: taken })])
  return { task_id, issues: taken }
}

/** The reviewers' groups by finding. */
export async function loadReviewGroups(
  context: ActivityContext,
  sessionId: string,
): Promise<ReadonlyMap<string, number>> {
  const { findings } = await loadReportedReview(context, sessionId)
  return new Map(findings.map(({ id, group }) => [id, group]))
}

function toOutside({ id, title, failure, file, severity }: ClassifiedFinding) {
  return { id, title, failure, file, severity }
}
