// Builds the report of a running or ended session from the store, the artifacts and its branch, without Temporal.

import { hasEnded, type SessionCommit, type SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'
import { loadOverview } from '../session/session-overview.ts'
import { listCheckTimes } from './check-time.ts'
import { listDecisions } from './decisions.ts'
import { buildFixCycles } from './fix-cycles.ts'
import { buildIssueReport } from './issue-report.ts'
import { loadSessionData, type SessionData } from './load-session-data.ts'
import type { FinalStatus, IssueDiff, IssueReport, Report } from './report-model.ts'
import { buildSandboxReport } from './sandbox-report.ts'

export async function buildReport(
  { store, home }: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
  now = Date.now(),
): Promise<Report> {
  const material = await loadSessionData(store, home, session)
  const issues: IssueReport[] = []
  for (const issue of material.issues) issues.push(await buildIssueReport(material, issue))
  const overview = await loadOverview({ store, home }, session, material.issues)
  const duration_ms = session.result?.duration_ms ?? Math.max(0, now - Date.parse(session.started_at))
  const final_status = computeFinalStatus(session, issues)
  const cycles = await buildFixCycles(material)
  return {
    ...overview,
    is_over: hasEnded(session.status),
    duration_ms,
    final_status,
    sandbox: buildSandboxReport(session, material.events),
    check_times: listCheckTimes(material.events),
    commits: session.result?.commits ?? listCommitsSoFar(material),
    issues,
    decisions: listDecisions(material.events),
    fix_report: {
      cycles,
      finalStatus: final_status,
      totalCycles: cycles.length,
      fixesApplied: overview.counts.fixed,
      duration: duration_ms,
    },
  }
}

/** The changes of the session's issues, or of one: what was committed, else what the last attempt made. */
export async function listIssueDiffs(
  { store, home }: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
  code?: string,
): Promise<IssueDiff[]> {
  const material = await loadSessionData(store, home, session)
  const wanted = material.issues.filter(({ issue }) => code === undefined || issue.issue_code === code)
  const diffs: IssueDiff[] = []
  for (const issue of wanted) {
    const { diff } = await buildIssueReport(material, issue)
    if (diff) diffs.push(diff)
  }
  return diffs
}

/** A session that is cancelled, unproven or only partly done never counts as passed. */
function computeFinalStatus({ status }: SessionRecord, issues: readonly IssueReport[]): FinalStatus {
  if (!hasEnded(status)) return 'running'
  if (status === 'cancelled' || status === 'failed') return status
  const fixed = issues.filter(({ state }) => state === 'fixed')
  if (issues.some(({ state }) => state === 'failed')) return 'failed'
  if (fixed.length === 0) return 'skipped'
  if (status !== 'completed') return 'failed'
  return fixed.every(({ unproven }) => unproven === null) ? 'passed' : 'unproven'
}

function listCommitsSoFar({ issues }: SessionData): SessionCommit[] {
  const fixed = issues.flatMap(({ outcome }) => (outcome?.status === 'completed' ? [outcome] : []))
  const commits = Map.groupBy(fixed, ({ commit_sha }) => commit_sha ?? '')
  return [...commits].map(([sha, fixes]) => ({
    sha,
    message: fixes[0]?.commit_message ?? '',
    ...(fixes[0]?.train ? { train: fixes[0].train } : {}),
    issue_codes: fixes.map(({ issue_code }) => issue_code),
  }))
}
