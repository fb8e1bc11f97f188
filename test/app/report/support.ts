// A report in which every text is somebody else's.

import type { IssueReport, Report } from '../../../src/app/report/report-model.ts'
import { compareRuns } from '../../../src/domain/verification/compare-runs.ts'

export const SHA = 'a'.repeat(40)
export const TREE = 'b'.repeat(40)

/** An issue in which every text is somebody else's. */
export function issueWith(text: string, more: Partial<IssueReport> = {}): IssueReport {
  const run = (command: string, outcome: string) => ({ command, outcome, output: text })
  const commands = compareRuns(
    [run(text, 'passed'), run('lint', 'failed: exit status 1')],
    [run(text, `failed: ${text}`), run('lint', 'failed: exit status 1')],
  )
  return {
    issue_code: 'BE-001',
    issue_id: 'id-1',
    title: text,
    description: text,
    file: `src/${text}`,
    line: '4-9',
    severity: 'high',
    category: text,
    state: 'failed',
    reason: text,
    outcome: null,
    unproven: text,
    no_changes_applied: true,
    silenced: [{ file: text, line: 3, kind: 'suppression', text }],
    diff: { source: 'attempt', files: [text], shared_with: [], text, is_cut: false },
    outside_files: [text],
    claim: {
      issue_code: 'BE-001',
      status: 'fixed',
      changes_summary: text,
      self_evaluation: { confidence: 90, risks: [text] },
    },
    challenges: [
      {
        step_id: 's1.i1.challenge',
        tree: TREE,
        score: 45,
        feedback: text,
        improvements_needed: [text],
        points: [{ id: text, blocker: true, text, settled: false }],
      },
    ],
    verification: { step_id: 's1.i1.verify', tree: TREE, verdict: 'failed', commands },
    proof: { codes: ['BE-001'], verdict: 'proven', why: text, files: [text], commands: [text], tests: [text] },
    iterations: 2,
    cost_usd: 0.25,
    cost_partial: false,
    tokens: 1200,
    calls: [],
    ...more,
  }
}

export function reportWith(text: string, issues: readonly IssueReport[] = [issueWith(text)]): Report {
  const decision = { at: text, by: text, from: text, text: text, issue_codes: ['BE-001'] }
  return {
    session_id: 'fx-1',
    kind: 'fix',
    review: null,
    votes: null,
    workflow_id: 'fix-session/fx-1',
    run_id: null,
    temporal_url: null,
    status: 'partial',
    waiting: null,
    repository_id: text,
    repository: `/home/kim/${text}`,
    task_id: text,
    branch: text,
    base: SHA,
    repository_file: null,
    counts: { requested: 1, fixed: 0, failed: 1, skipped: 0 },
    cost_usd: 0.25,
    cost_partial: false,
    tokens: 1200,
    budgets: null,
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: '2026-01-01T00:01:00.000Z',
    ending: { reason: text },
    is_over: true,
    duration_ms: 60_000,
    final_status: 'failed',
    sandbox: { mode: 'auto', found: ['files'] },
    check_times: [],
    commits: [{ sha: SHA, message: text, issue_codes: ['BE-001'] }],
    issues,
    decisions: [{ ...decision, kind: 'scope' }],
    fix_report: { cycles: [], finalStatus: 'failed', totalCycles: 0, fixesApplied: 0, duration: 60_000 },
  }
}
