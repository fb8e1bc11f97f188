// One event of every kind: what becomes of a session.
import type { NewEvent } from '../../../../../src/domain/session/events/index.ts'
import {
  logBranchNamed,
  logFolderLeft,
  logLanesRefused,
  logPriceUnknown,
  logStartNotes,
} from '../../../../../src/domain/session/events/logs/session-logs.ts'
import {
  fixSessionEnded,
  fixSessionJoined,
  fixSessionStarted,
} from '../../../../../src/domain/session/events/session-events.ts'
import { fixMessageRefused, fixResumed, fixWaiting } from '../../../../../src/domain/session/events/wait-events.ts'
import type { FixSessionResult } from '../../../../../src/domain/session/session.ts'
import { ADA, AT, type Case, COMMIT } from './case.ts'

const BUDGETS = { session_usd: 5, session_tokens: null, session_seconds: null, issue_usd: null, issue_tokens: null }

const RESULT: FixSessionResult = {
  session_id: 's',
  repository_id: '/repo',
  task_id: 't',
  branch_name: 'fix/it',
  status: 'partial',
  issues_requested: 3,
  issues_fixed: 1,
  issues_failed: 1,
  issues_skipped: 1,
  results: [],
  commits: [{ sha: COMMIT, message: 'fix: it', issue_codes: ['A'] }],
  cost_usd: 1.2,
  duration_ms: 1,
}
const COUNTS = '1 fixed, 1 failed, 1 skipped · 1.20 USD'

export const SESSION_CASES: readonly Case[] = [
  [
    fixSessionStarted(
      { repository: '/repo', profile: 'verify', max_iterations: 3, base: COMMIT, sandbox: 'none', budgets: BUDGETS },
      2,
    ),
    'session/started',
    '2 issue(s) in /repo, profile verify; agents in no sandbox',
  ],
  [
    logLanesRefused('sequential'),
    'lanes',
    'the profile sequential commits all batches together, so they share one lane whatever limits.lanes says',
  ],
  [fixSessionJoined('s2', { cost_usd: 0, tokens: 0 }), 'joined/s2', 'joined by another start'],
  [
    fixSessionEnded({ result: RESULT, budgetUsd: 5 }),
    'session/ended',
    '1 fixed, 1 failed, 1 skipped · 1.20 of 5.00 USD',
  ],
  [
    fixSessionEnded({ result: { ...RESULT, cost_partial: true }, budgetUsd: null }),
    'session/ended',
    '1 fixed, 1 failed, 1 skipped · 1.20 + ? USD',
  ],
  [
    fixSessionEnded({ result: RESULT, ending: { class: 'access', detail: 'no key' } }),
    'session/ended',
    `no key · ${COUNTS}`,
  ],
  [
    fixSessionEnded({ result: RESULT, ending: { class: 'billing', detail: 'no credit' } }),
    'session/ended',
    `no credit · ${COUNTS}`,
  ],
  [
    fixSessionEnded({ result: RESULT, ending: { class: 'cancelled', detail: 'cancelled by Ada' }, cancelledBy: ADA }),
    'session/ended',
    `cancelled by Ada · told from terminal · ${COUNTS}`,
  ],
  [logStartNotes(['one', 'two'])[1] as NewEvent, 'start/note2', 'two'],
  [
    logFolderLeft({ path: '/a b', reason: 'EACCES' }),
    'session/left',
    "/a b could not be removed (EACCES). It may hold files of another user, left by checks in a container. To remove it: sudo rm -rf '/a b'",
  ],
  [logBranchNamed('branch', { branch: 'fix/it' }), 'branch/named', 'the branch is fix/it'],
  [
    logPriceUnknown(['m1', 'm2']),
    'budget/unseen',
    'the budget in dollars does not see what m1 and m2 cost: there is no price of theirs (prices, or limit the tokens)',
  ],
  [fixWaiting('s1.w', { kind: 'limit', reason: 'overloaded', since: AT, until: AT + 1 }), 's1.w', 'overloaded'],
  [fixResumed({ stepId: 's1.w.over', reason: 'overloaded' }), 's1.w.over', 'goes on: overloaded'],
  [
    fixResumed({ stepId: 'r', reason: 'x', resolved: { kind: 'plan', resolution: 'deadline', decidedBy: ADA } }),
    'r',
    'nobody decided in time about the plan',
  ],
  [
    fixResumed({ stepId: 'r', reason: 'x', resolved: { kind: 'scope', resolution: 'cancelled', decidedBy: ADA } }),
    'r',
    'the session was cancelled by Ada (terminal) while the scope was open',
  ],
  [
    fixResumed({ stepId: 'r', reason: 'x', resolved: { kind: 'plan', resolution: 'approve', decidedBy: ADA } }),
    'r',
    'the plan was decided by Ada (terminal): approve',
  ],
  [
    fixMessageRefused({ key: 'm1', name: 'cancel', outcome: 'refused', response: 'too late', ...ADA }),
    'm1',
    'cancel by Ada, from terminal: refused, too late',
  ],
  [
    fixMessageRefused({ key: 'm2', name: 'cancel', outcome: 'repeated', response: 'again', ...ADA }),
    'm2',
    'cancel by Ada, from terminal: again',
  ],
]
