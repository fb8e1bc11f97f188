// Puts a session's report together from the store, the artifacts and its branch, whether it is over or not. Asks Temporal nothing.

import { hasEnded, type SessionCommit, type SessionRecord } from '../../domain/session/session.ts'
import { trailerIn } from '../../domain/text/branch-and-commit-names.ts'
import type { Home } from '../../runtime/home/home.ts'
import type { Store } from '../../store/store.ts'
import { overviewOf } from '../session-overview.ts'
import { decisionsIn } from './decisions.ts'
import { cyclesOf } from './fix-cycles.ts'
import { issueReport } from './issue-report.ts'
import { type Material, materialOf } from './load-session-data.ts'
import type { FinalStatus, IssueReport, Report } from './report-model.ts'
import { sandboxReport } from './sandbox.ts'

export async function reportOf(store: Store, home: Home, session: SessionRecord, now = Date.now()): Promise<Report> {
  const material = await materialOf(store, home, session)
  const issues: IssueReport[] = []
  for (const issue of material.issues) issues.push(await issueReport(material, issue))
  const overview = await overviewOf(store, session, material.issues)
  const duration_ms = session.result?.duration_ms ?? Math.max(0, now - Date.parse(session.started_at))
  const final_status = finalStatus(session, issues)
  const cycles = await cyclesOf(material)
  return {
    ...overview,
    is_over: hasEnded(session.status),
    duration_ms,
    final_status,
    sandbox: sandboxReport(session, material.events),
    commits: session.result?.commits ?? commitsSoFar(material),
    issues,
    decisions: decisionsIn(material.events),
    fix_report: {
      cycles,
      finalStatus: final_status,
      totalCycles: cycles.length,
      fixesApplied: overview.counts.fixed,
      duration: duration_ms,
    },
  }
}

/** What is cancelled, unverified, or only in part done is never passed. */
function finalStatus({ status }: SessionRecord, issues: readonly IssueReport[]): FinalStatus {
  if (!hasEnded(status)) return 'running'
  if (status === 'cancelled' || status === 'failed') return status
  const fixed = issues.filter(({ state }) => state === 'fixed')
  if (issues.some(({ state }) => state === 'failed')) return 'failed'
  if (fixed.length === 0) return 'skipped'
  if (status !== 'completed') return 'failed'
  return fixed.every(isVerified) ? 'passed' : 'unverified'
}

/** The commit says it still when the record of the run is gone. */
function isVerified({ verification, outcome }: IssueReport): boolean {
  return verification
    ? verification.verdict === 'passed'
    : trailerIn(outcome?.commit_message ?? '', 'Verified') !== undefined
}

function commitsSoFar({ issues }: Material): SessionCommit[] {
  const fixed = issues.flatMap(({ outcome }) => (outcome?.status === 'completed' ? [outcome] : []))
  const commits = Map.groupBy(fixed, ({ commit_sha }) => commit_sha ?? '')
  return [...commits].map(([sha, fixes]) => ({
    sha,
    message: fixes[0]?.commit_message ?? '',
    issue_codes: fixes.map(({ issue_code }) => issue_code),
  }))
}
