// The first half of a review: has the change reviewed, takes in what was found, and stores it for the verifiers.
import type { FindingVerdict, ReportedFinding, ReviewFinding } from '../../domain/review/finding.ts'
import { mergeDuplicates } from '../../domain/review/merge-duplicates.ts'
import { refuteDismissed } from '../../domain/review/refute-dismissed.ts'
import { ReportedReview } from '../../domain/review/review-record.ts'
import { takeInFindings } from '../../domain/review/take-in-findings.ts'
import { logReviewReported } from '../../domain/session/events/logs/review-logs.ts'
import type { ReviewChangeInput, ReviewChangeOutcome } from '../../domain/workflow-types/index.ts'
import { appendEvents } from '../append-events.ts'
import { loadArtifact, storeArtifact } from '../artifacts.ts'
import { type ActivityContext, type Heartbeat, loadSession, loadWorkspace } from '../context.ts'
import { askReviewers } from './ask-reviewers.ts'
import { type EarlierFindings, loadEarlierFindings } from './earlier-findings.ts'
import { loadChange, loadNamedFiles } from './load-change.ts'
import { listExperts } from './open-review.ts'

const REPORTED = 'reported'

export async function reviewChange(
  context: ActivityContext,
  { sessionId, stepId }: ReviewChangeInput,
  heartbeat: Heartbeat,
): Promise<ReviewChangeOutcome> {
  const session = await loadSession(context, sessionId)
  const workspace = loadWorkspace(context, sessionId)
  const change = await loadChange(session, workspace)
  const earlier = await loadEarlierFindings(context, session, change)
  const experts = listExperts(session, change)
  const answer = await askReviewers(context, session, { stepId, workspace, change, experts, earlier }, heartbeat)
  if (answer.kind === 'failed') return { batches: [], found: 0, failure: answer.failure }

  const { reply, coverage } = answer
  const groups = listGroups(answer, earlier)
  const files = await loadNamedFiles(
    workspace,
    change,
    groups.flatMap(({ findings }) => findings.map(({ file }) => file)),
  )
  const { findings, merged } = mergeDuplicates(takeInFindings(groups, files), reply.merged)
  const decided = new Map<string, FindingVerdict>([...refuteDismissed(findings, earlier.dismissed), ...merged])
  const reported: ReportedReview = {
    ...coverage,
    reviewed: [...coverage.reviewed],
    not_reviewed: [...coverage.not_reviewed],
    findings: [...findings],
    decided: Object.fromEntries(decided),
    groups: groups.map(({ description }) => ({ description })),
    experts: reply.experts,
    earlier: reply.earlier,
  }
  await storeArtifact(context, sessionId, 'findings', REPORTED, JSON.stringify(reported))
  await appendEvents(context, sessionId, [
    logReviewReported({
      found: findings.length,
      merged: merged.size,
      reviewed: coverage.reviewed.length,
      not_reviewed: coverage.not_reviewed.map(({ path, why }) => `${path} (${why})`),
    }),
  ])
  const open = findings.filter(({ id }) => !decided.has(id))
  return { batches: splitIntoCalls(open, session.settings.review.findings_per_verifier), found: findings.length }
}

type Answered = Extract<Awaited<ReturnType<typeof askReviewers>>, { kind: 'answered' }>

/** The reviewers' groups. What they merged stays a finding in the group that it was merged into, and so does what stands from before. */
function listGroups(
  { reply, expertFindings }: Answered,
  earlier: EarlierFindings,
): { description: string; findings: ReportedFinding[] }[] {
  const groups = reply.groups.map(({ description, findings }) => {
    const merged = findings.flatMap((target) =>
      reply.merged.flatMap(({ id, into }) => (into === target.id ? [expertFindings.get(id) ?? { ...target, id }] : [])),
    )
    return { description, findings: [...findings, ...merged] }
  })
  const standing = reply.earlier.flatMap(({ id, state }) => (state === 'still_there' ? (earlier.report(id) ?? []) : []))
  return standing.length === 0
    ? groups
    : [...groups, { description: 'found before, and still there', findings: standing }]
}

/** Findings of one file are verified by one call, as far as they fit. */
function splitIntoCalls(findings: readonly ReviewFinding[], most: number): string[][] {
  const calls: string[][] = []
  for (const own of Map.groupBy(findings, ({ file }) => file).values()) {
    for (let at = 0; at < own.length; at += most) {
      const ids = own.slice(at, at + most).map(({ id }) => id)
      const last = calls.at(-1)
      if (last && last.length + ids.length <= most) last.push(...ids)
      else calls.push(ids)
    }
  }
  return calls
}

export async function loadReportedReview(context: ActivityContext, sessionId: string): Promise<ReportedReview> {
  const [found] = await context.store.artifacts.listForSession(sessionId, { kind: 'findings', name: REPORTED })
  if (!found) throw new Error(`session ${sessionId} has no findings yet`)
  return await loadArtifact(context, found.ref, ReportedReview)
}
