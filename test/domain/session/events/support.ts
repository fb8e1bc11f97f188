// One event of every kind, made by its constructor, with the key that it is known by and the sentence that people read.
import {
  fixCallCompleted,
  fixCallStarted,
  fixIssueStreaming,
} from '../../../../src/domain/session/events/agent-call-events.ts'
import {
  fixBatchCompleted,
  fixBatchStarted,
  fixChecksSilenced,
  fixStageStarted,
} from '../../../../src/domain/session/events/batch-events.ts'
import { fixChallengerEvaluating, fixChallengerResult } from '../../../../src/domain/session/events/challenge-events.ts'
import type { NewEvent } from '../../../../src/domain/session/events/index.ts'
import {
  fixIssueAnalyzing,
  fixIssueCommitted,
  fixIssueCompleted,
  fixIssueFailed,
  fixIssueGenerating,
  fixIssueRegenerating,
  fixIssueSkipped,
  fixIssueStarted,
  fixIssueValidating,
} from '../../../../src/domain/session/events/issue-events.ts'
import {
  logBaselineDoubted,
  logBaselineKnown,
  logBaselineMute,
  logBaselineRed,
  logBaselineRerun,
  logBaselineRerunImpossible,
  logBaselineUnknown,
  logVariablesUnset,
} from '../../../../src/domain/session/events/logs/baseline-logs.ts'
import {
  logAnswerReused,
  logCallSplit,
  logClarified,
  logFolderLeft,
  logIssueReopened,
  logPlanMissing,
  logPlanRemarks,
  logPriceUnknown,
  logStartNotes,
} from '../../../../src/domain/session/events/logs/session-logs.ts'
import {
  logChecksRan,
  logSetupKept,
  logSetupNotShared,
} from '../../../../src/domain/session/events/logs/sharing-logs.ts'
import {
  logByProductsIgnored,
  logCheckEnded,
  logCheckoutLeft,
  logOldTestsRun,
  logProgramMissing,
  logSetupDone,
  logSetupFailed,
  logSetupStarted,
} from '../../../../src/domain/session/events/logs/verification-logs.ts'
import {
  logBranchMerged,
  logCallLost,
  logCallRefused,
  logConversationGone,
  logGitUseUndone,
} from '../../../../src/domain/session/events/logs/work-logs.ts'
import {
  fixClarificationClosed,
  fixClarificationNeeded,
  fixClarificationReceived,
  fixPlanDecided,
  fixPlanReady,
} from '../../../../src/domain/session/events/people-events.ts'
import { fixScopeDecided, fixScopeViolation } from '../../../../src/domain/session/events/scope-events.ts'
import {
  fixSessionEnded,
  fixSessionJoined,
  fixSessionStarted,
} from '../../../../src/domain/session/events/session-events.ts'
import {
  fixProofResult,
  fixVerificationResult,
  fixVerificationStarted,
} from '../../../../src/domain/session/events/verification-events.ts'
import { type ComparedRun, toComparedRun } from '../../../../src/domain/session/events/verification-runs.ts'
import { fixMessageRefused, fixResumed, fixWaiting } from '../../../../src/domain/session/events/wait-events.ts'
import type { FixSessionResult } from '../../../../src/domain/session/session.ts'
import { COMPARISON_ADVICE } from '../../../../src/domain/verification/red-base.ts'

type Case = readonly [event: NewEvent, key: string, message: string]

const AT = Date.parse('2026-11-18T12:00:00.000Z')
const ADA = { by: 'Ada', from: 'terminal', at: AT }
const ISSUE = { issue_code: 'A', issue_id: 'i1', issue_index: 1, total_issues: 2 }
const COMMIT = '0123456789abcdef'
const FILES = Array.from({ length: 130 }, (_, index) => `f${index + 1}`)
const FIRST_TEN = FILES.slice(0, 10).join(', ')
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

const QUESTION = { id: 'A-q1', code: 'A', question: 'How strict?', context: 'c' }
const BATCH = { kind: 'backend', label: 'BE 1/1', workload: 3, steps: [['A'], ['B']] } as const
const OUTSIDE = FILES.map((path) => ({ path, why: 'protected', codes: ['A', 'B'] }))
const REFUSED_TEN = FILES.slice(0, 10)
  .map((path) => `${path} (A, B)`)
  .join(', ')

export const PEOPLE_CASES: readonly Case[] = [
  [fixClarificationNeeded(QUESTION, ISSUE), 'question/A-q1', 'A-q1: How strict?'],
  [
    fixClarificationReceived({ ...QUESTION, ...ADA, answer: 'x'.repeat(600) }, ISSUE),
    'answer/A-q1',
    `A-q1, Ada (terminal): ${'x'.repeat(499)}…`,
  ],
  [
    fixClarificationClosed({ stepId: 'c', how: 'skipped', decidedBy: ADA }),
    'c/settled',
    'the rest is skipped, Ada (terminal)',
  ],
  [
    fixClarificationClosed({ stepId: 'c', how: 'cancelled', decidedBy: ADA }),
    'c/settled',
    'cancelled before the rest was answered, Ada (terminal)',
  ],
  [fixClarificationClosed({ stepId: 'c', how: 'deadline', decidedBy: ADA }), 'c/settled', 'nobody answered in time'],
  [fixPlanReady(undefined, { stages: [] }), 'plan', 'there is nothing to do'],
  [
    fixPlanReady(undefined, { stages: [{ batches: [BATCH, BATCH] }], branch: 'fix/it' }),
    'plan',
    '2 batch(es) in 1 stage(s), onto fix/it',
  ],
  [
    fixPlanReady('p1', { stages: [{ batches: [BATCH] }], dropped: ['A', 'B'], approved: ADA }),
    'p1/plan',
    '1 batch(es) in 1 stage(s) without A, B, approved by Ada',
  ],
  [fixPlanDecided({ stepId: 'p1', how: 'deadline', decidedBy: ADA }), 'p1/settled', 'nobody answered in time'],
  [fixPlanDecided({ stepId: 'p1', how: 'approve', decidedBy: ADA }), 'p1/settled', 'approve, Ada (terminal)'],
  [
    fixPlanDecided({ stepId: 'p1', how: 'reject', reason: 'too much', decidedBy: ADA }),
    'p1/settled',
    'reject, Ada (terminal): too much',
  ],
  [
    fixScopeViolation({ stepId: 's1', violations: FILES, codes: ['A'], outside: [] }),
    's1/scope',
    `A touched what it may not: ${FIRST_TEN} and 120 more`,
  ],
  [
    fixScopeViolation({ stepId: 's1', violations: ['v'], codes: ['A'], outside: OUTSIDE.slice(0, 1) }),
    's1/scope',
    'A touched what it may not: v; a person has to let through f1 (protected; A, B)',
  ],
  [
    fixScopeDecided({
      stepId: 's1',
      decision: { decision: 'approve', remember: 'session' },
      decidedBy: ADA,
      approved: OUTSIDE.slice(0, 1),
      refused: OUTSIDE.slice(1, 2),
      barred: ['A'],
    }),
    's1/scope-decided',
    'Ada let through, for this session: f1; Ada did not let through f2 (A, B)',
  ],
  [
    fixScopeDecided({
      stepId: 's1',
      decision: { decision: 'reject', reason: 'no' },
      decidedBy: ADA,
      approved: [],
      refused: OUTSIDE,
      barred: ['A'],
    }),
    's1/scope-decided',
    `Ada did not let through ${REFUSED_TEN} and 120 more: "no"`,
  ],
  [
    fixScopeDecided({
      stepId: 's1',
      decision: { decision: 'deadline' },
      decidedBy: ADA,
      approved: [],
      refused: OUTSIDE.slice(0, 1),
      barred: ['A'],
    }),
    's1/scope-decided',
    'nobody decided in time, so it is taken back: f1 (A, B)',
  ],
  [logClarified('c', { round: 1, ready: true, questions: 0, words: '' }), 'c/clarified', 'nothing is unclear'],
  [logClarified('c', { round: 1, ready: false, questions: 2, words: 'so' }), 'c/clarified', '2 question(s): so'],
  [
    logAnswerReused({ ...QUESTION, ...ADA, answer: 'very' }, ISSUE),
    'answer/A-q1',
    'A-q1 was answered before, by Ada (terminal): very',
  ],
  [
    logPlanMissing('p1', 'it crashed'),
    'p1/unplanned',
    'there is no plan of an agent, the rules of order have to do: it crashed',
  ],
  [logPlanRemarks('p1', ['one', 'two'])[1] as NewEvent, 'p1/remark2', 'two'],
  [
    logCallSplit('plan', { points: 60, maxPoints: 40, calls: 2 }),
    'plan/sliced',
    '60 points of work are more than the 40 that one call gets: they are sliced into 2 calls, one after the other',
  ],
]

const CALL = { role: 'fixer', call: 's1.fix', attempt: 2, codes: ['A', 'B'] }
const REPORT = { model: 'm', models_tried: [], tokens: {}, durationMs: 1, notes: [] }
const CRASH = { class: 'no_usable_work', reason: 'crash', detail: 'it crashed' } as const
const FLAG = { file: 'a.py', line: 4, kind: 'suppression', text: '# noqa' } as const

export const WORK_CASES: readonly Case[] = [
  [fixIssueValidating({ status: 'open', file: 'a.py' }, ISSUE), 'A/validating', 'is open, about a.py'],
  [fixIssueAnalyzing('BE 1/1', ISSUE), 'A/analyzing', 'planned into BE 1/1'],
  [fixIssueStarted('Title', ISSUE), 'A/started', 'Title'],
  [fixIssueGenerating({ stepId: 's1.fix', file: 'a.py' }, ISSUE), 's1.fix/A/generating', 'fixing a.py'],
  [
    fixIssueRegenerating({ stepId: 's1.fix', file: 'a.py', iteration: 2 }, ISSUE),
    's1.fix/A/generating',
    'fixing a.py again, with what the gates said (attempt 2)',
  ],
  [
    fixIssueCommitted({ codes: ['A'], subject: 'fix: it', unproven: true }, { ...ISSUE, commit_sha: COMMIT }),
    'A/committed',
    '0123456789 fix: it · unproven',
  ],
  [
    fixIssueCommitted({ codes: ['A'], subject: 'fix: it', unproven: false }, { ...ISSUE, commit_sha: COMMIT }),
    'A/committed',
    '0123456789 fix: it',
  ],
  [fixIssueCompleted({ title: 'Title', codes: ['A'] }, { ...ISSUE, commit_sha: COMMIT }), 'A/completed', 'Title'],
  [fixIssueFailed({ reason: 'no', cost_usd: 1 }, ISSUE), 'A/failed', 'no'],
  [fixIssueSkipped({ reason: 'no', falsePositive: { agreedStepId: 's1.challenge' } }, ISSUE), 'A/skipped', 'no'],
  [
    logIssueReopened(COMMIT, ISSUE),
    'A/reopened',
    'its commit 0123456789 is on no branch any more: it is worked on again',
  ],
  [fixStageStarted(1), 'stage/1', 'stage 1'],
  [
    fixBatchStarted({ stepId: 's1.fix', label: 'BE 2/3', workload: 4, codes: ['A', 'B'], iteration: 1 }),
    's1.fix/batch',
    'BE Batch 2/3 · workload 4 · A, B · attempt 1',
  ],
  [
    fixBatchCompleted({
      stepId: 's1.fix',
      label: 'BE 2/3',
      codes: ['A'],
      files: FILES,
      outside: ['f2'],
      unchanged: ['B'],
    }),
    's1.fix/batch-completed',
    `BE Batch 2/3 · changed ${FIRST_TEN} and 120 more; no finding names f2; B: called fixed, and no changes applied`,
  ],
  [
    fixBatchCompleted({
      stepId: 's1.fix',
      label: 'BE 2/3',
      codes: ['A'],
      files: [],
      outside: [],
      unchanged: ['A'],
      failureDetail: 'it crashed',
    }),
    's1.fix/batch-completed',
    'BE Batch 2/3 · no changes applied: it crashed',
  ],
  [
    fixChecksSilenced('s1.fix', ['A'], [FLAG]),
    's1.fix/silenced',
    'may silence a check: a.py:4 tells a check to look away',
  ],
  [fixCallStarted(CALL), 's1.fix/2/started', 'fixer: A, B'],
  [
    fixCallStarted({ ...CALL, role: 'planner' }, 'how to fix 2 issue(s)'),
    's1.fix/2/started',
    'planner: how to fix 2 issue(s)',
  ],
  [fixCallCompleted(CALL, REPORT), 's1.fix/2/completed', 'fixer answered'],
  [fixCallCompleted(CALL, { ...REPORT, failure: CRASH }), 's1.fix/2/completed', 'fixer failed: it crashed'],
  [
    fixIssueStreaming({ call: 's1.fix', attempt: 2, number: 3, kind: 'tool', text: 'Edit a.py' }),
    's1.fix/2/stream/3',
    'Edit a.py',
  ],
  [
    logConversationGone(CALL, 'c1'),
    's1.fix/2/gone',
    'conversation c1 is gone from this host: started afresh with the whole context',
  ],
  [
    logCallRefused({ call: 's1.fix', role: 'fixer', failure: CRASH }),
    's1.fix/not-asked',
    'fixer was not asked: it crashed',
  ],
  [
    logCallLost({ call: 's1.fix', attempt: 1, processesEnded: 2 }),
    's1.fix/1/lost',
    'attempt 1 of s1.fix was lost with its worker; it is made again',
  ],
  [
    logGitUseUndone('s1.fix', ['2 commits', 'a stash']),
    's1.fix/git',
    "2 commits; a stash: folded back, git is not the fixer's business",
  ],
  [
    logBranchMerged('s1.merge', { branch: 'fix/it', onto: COMMIT }),
    's1.merge/merged',
    'someone committed on fix/it: the fixes are merged onto 0123456789 and judged again',
  ],
]

const run = (facts: Partial<ComparedRun>): ComparedRun => ({
  command: 'npm t',
  outcome: 'passed',
  effect: 'passes',
  ...facts,
})
const PLACE = { stepId: 's1.verify', iteration: 1, onBase: false, inFreshCheckout: false }
const BASE = { stepId: 'base', iteration: 0, onBase: true, inFreshCheckout: false }
const BROKEN = toComparedRun(
  {
    command: 'npm t',
    before: 'passed',
    after: 'failed',
    effect: 'broken',
    output: '',
    countsAgainstFix: true,
    tests: { fixed: [], broken: FILES.slice(0, 25), broken_before: [], gone: ['g'], appeared: 0, passing: 1 },
  },
  { command: 'npm t', outcome: 'failed', omittedBytes: 9, changedFiles: ['a.py'] },
)
const PROOF = {
  codes: ['A', 'B'],
  verdict: 'proven',
  why: 'it fails without',
  files: [],
  commands: [],
  tests: [],
} as const

export const GATE_CASES: readonly Case[] = [
  [fixVerificationStarted({ ...PLACE, commands: ['npm t', 'lint'], tree: 't' }), 's1.verify/started', 'npm t · lint'],
  [
    fixVerificationStarted({ ...PLACE, inFreshCheckout: true, commands: ['npm t'], tree: 't' }),
    's1.verify/fresh',
    'in a fresh checkout: npm t',
  ],
  [
    fixVerificationStarted({ ...PLACE, inFreshCheckout: true, only: ['A', 'B'], commands: ['npm t'], tree: 't' }),
    's1.verify/fresh',
    'only A, B, in a fresh checkout: npm t',
  ],
  [fixVerificationStarted({ ...BASE, commands: ['npm t'], tree: 't' }), 'base/started', 'on the untouched base: npm t'],
  [
    fixVerificationResult({ ...PLACE, verdict: 'passed', runs: [run({})] }),
    's1.verify/result',
    'passed · npm t: passed',
  ],
  [
    fixVerificationResult({ ...PLACE, verdict: 'failed', runs: [run({ command: 'lint' }), BROKEN] }),
    's1.verify/result',
    `failed · npm t: failed, 26 test(s) newly broken · newly broken: ${FIRST_TEN} and 15 more · changed by npm t, and put back: a.py`,
  ],
  [
    fixVerificationResult({
      ...PLACE,
      verdict: 'passed',
      runs: [run({}), run({ command: 'lint', outcome: 'failed', effect: 'no_worse' })],
    }),
    's1.verify/result',
    'passed · lint: failed, as before: no test newly broken',
  ],
  [
    fixVerificationResult({ ...PLACE, verdict: 'unverified', runs: [run({ outcome: 'failed', effect: 'unproven' })] }),
    's1.verify/result',
    'unverified · npm t: failed, and failed before',
  ],
  [
    fixVerificationResult({
      ...PLACE,
      verdict: 'failed',
      runs: [run({ outcome: 'failed', effect: 'broken', unseen: 2 })],
    }),
    's1.verify/result',
    'failed · npm t: failed, 2 test(s) that passed before are not seen any more',
  ],
  [
    fixVerificationResult({
      ...BASE,
      verdict: 'passed',
      runs: [run({}), run({ command: 'lint', outcome: 'failed', effect: 'fails' })],
    }),
    'base/result',
    'on the untouched base: 1 of 2 passed · lint: failed',
  ],
  [
    fixProofResult(
      {
        stepId: 's1.prove',
        tree: 't',
        proof: { ...PROOF, codes: [...PROOF.codes], files: [], commands: [], tests: [] },
      },
      {},
    ),
    's1.prove/proof',
    'A, B · proven: it fails without',
  ],
  [
    fixProofResult(
      {
        stepId: 's1.prove',
        tree: 't',
        proof: { codes: ['A'], verdict: 'not_proven', why: 'no test', files: [], commands: [], tests: [] },
      },
      ISSUE,
    ),
    's1.prove/proof',
    'A · not proven: no test',
  ],
  [
    fixChallengerEvaluating({ stepId: 's1.challenge', codes: ['A', 'B'], tree: 't', diffCharacters: 12 }),
    's1.challenge/evaluating',
    'A, B · the diff has 12 characters',
  ],
  [
    fixChallengerResult(
      's1.challenge',
      { kind: 'score', score: 97, solved: true, feedback: '', blockers: [], improvements_needed: [] },
      ISSUE,
    ),
    's1.challenge/A/result',
    '97 · solved',
  ],
  [
    fixChallengerResult(
      's1.challenge',
      {
        kind: 'score',
        score: 50,
        solved: false,
        feedback: 'why?',
        blockers: ['b'],
        quality_scores: { correctness: 50, style_consistency: 50 },
        improvements_needed: ['i'],
      },
      ISSUE,
    ),
    's1.challenge/A/result',
    '50 · not solved · why?',
  ],
  [
    fixChallengerResult(
      's1.challenge',
      { kind: 'claim', false_positive_agreed: true, feedback: 'yes', blockers: [] },
      ISSUE,
    ),
    's1.challenge/A/result',
    'false positive agreed · yes',
  ],
  [
    fixChallengerResult(
      's1.challenge',
      { kind: 'claim', false_positive_agreed: false, unjudged: true, feedback: '', blockers: [] },
      ISSUE,
    ),
    's1.challenge/A/result',
    'no usable verdict: not agreed',
  ],
  [
    fixChallengerResult('s1.challenge', { kind: 'unusable' }, ISSUE),
    's1.challenge/A/result',
    'no usable verdict: not approved',
  ],
  [
    fixChallengerResult('s1.challenge', { kind: 'whole', whole: 90, feedback: 'fine' }),
    's1.challenge/whole',
    'whole diff: 90 · fine',
  ],
  [
    logSetupStarted({ stepId: 's1.verify', setup: ['npm ci', 'make'], again: false, changed: [], gone: [] }),
    's1.verify/setup',
    'setting up: npm ci · make',
  ],
  [
    logSetupStarted({ stepId: 's1.verify', setup: ['npm ci'], again: true, changed: FILES, gone: ['dist'] }),
    's1.verify/setup',
    'setting up again, for f1, f2, f3, f4, f5, dist (gone): npm ci',
  ],
  [logSetupDone('s1.verify', 3.04), 's1.verify/setup/end', 'set up in 3.0 s'],
  [
    logSetupFailed('s1.verify', { command: 'npm ci', outcome: 'failed: exit status 1' }),
    's1.verify/setup/end',
    'the setup failed: npm ci: failed: exit status 1',
  ],
  [
    logCheckEnded({
      stepId: 's1.verify',
      inFreshCheckout: false,
      command: 'lint',
      outcome: 'passed',
      number: 2,
      checks: 3,
    }),
    's1.verify/run/2',
    'check 2 of 3 · lint: passed',
  ],
  [
    logCheckEnded({
      stepId: 's1.verify',
      inFreshCheckout: true,
      command: 'lint',
      outcome: 'passed',
      number: 2,
      checks: 3,
    }),
    's1.verify/fresh/2',
    'check 2 of 3 · lint: passed',
  ],
  [
    logChecksRan({
      ...{ stepId: 's1.fresh1', inFreshCheckout: true, isShared: true },
      ...{ setupSeconds: 0.44, checkSeconds: 2 },
    }),
    's1.fresh1/ran/fresh',
    'checked in 2.0 s, with a copy of the setup in 0.4 s',
  ],
  [logSetupKept('base', 1.25), 'base/setup/kept', 'what the setup made is kept for fresh checkouts (copied in 1.3 s)'],
  [logSetupNotShared('base', 'it builds'), 'base/setup/alone', 'each fresh checkout has a setup of its own: it builds'],
  [
    logByProductsIgnored('base', FILES),
    'base/by-products',
    `made by the checks themselves, so never committed: ${FIRST_TEN} and 120 more`,
  ],
  [
    logCheckoutLeft({ path: '/x', reason: 'EACCES' }),
    'checkouts/left',
    'a fresh checkout could not be removed whole: the rest of it is /x (EACCES). It may hold files of another user, left by checks in a container (have it run as you: --user "$(id -u):$(id -g)"). The result stands, and the session says at its end how to remove what is left',
  ],
  [
    logProgramMissing('base', [{ command: 'npm t', reason: 'sh: 1: npm: not found' }]),
    'base/missing',
    '"npm t" (sh: 1: npm: not found) can\'t run on the untouched base, and is ignored: it says nothing about any fix unless the fix itself makes it run',
  ],
  [
    logOldTestsRun('s1.oldtests1', {
      head: 'h',
      key: 'k',
      files: [{ path: 'tests/a.py', why: 'as it was', codes: ['A'] }],
      putBack: ['tests/a.py'],
      failures: [{ command: 'npm t', outcome: 'failed: exit status 1', tests: ['adds'] }],
      unproven: ['make'],
    }),
    's1.oldtests1/old-tests',
    'with tests/a.py as before the fix: npm t: adds (only the changed tests make make pass: that proves nothing)',
  ],
  [
    logBaselineRed('base', ['npm t'], 'all have to pass'),
    'base/red',
    'what fails on the untouched base (npm t) matters: all have to pass',
  ],
  [
    logBaselineMute('base', { commands: ['npm t'], alone: true, accepts: false }),
    'base/mute',
    `what fails on the untouched base (npm t) can't prove a fix that leaves it red: unless a fix makes it green, every fix stays unproven, and the exit status is 1. ${COMPARISON_ADVICE}`,
  ],
  [
    logBaselineKnown('base', { from: 's0', at: AT }, AT + 5 * 60_000),
    'base/known',
    'all of it passed there for session s0, 5 min ago: not run again',
  ],
  [
    logBaselineDoubted('base', { head: COMMIT, from: 's0' }),
    'base/again',
    'what fails here passed on the untouched base for session s0: it is run there again before a fix is blamed',
  ],
  [
    logBaselineDoubted('base', { head: COMMIT }),
    'base/again',
    'what fails here was red on the untouched base, and passed on 0123456789: it is run there again before a fix is blamed',
  ],
  [
    logVariablesUnset('base', ['DATABASE_URL', 'REDIS_URL']),
    'base/unset',
    "verification.environment names DATABASE_URL, REDIS_URL, which the instance's environment does not have: checks run without; start the instance where it is set",
  ],
  [
    logBaselineUnknown('base.x', COMMIT),
    'base.x/again',
    'nobody has checked 0123456789, which is on the branch now: the checks are run there before a fix is judged beside it',
  ],
  [
    logBaselineRerun({ stepId: 'base', runs: [{ command: 'npm t', outcome: 'passed' }] }),
    'base/again/result',
    'on the untouched base all of it passes still',
  ],
  [
    logBaselineRerun({
      stepId: 'base.x',
      head: COMMIT,
      runs: [run({}), run({ command: 'lint', outcome: 'failed' })].map(({ command, outcome }) => ({
        command,
        outcome: outcome ?? '',
      })),
    }),
    'base.x/again/result',
    'on 0123456789 it fails now, too · lint: failed',
  ],
  [
    logBaselineRerunImpossible('base', 'no network'),
    'base/again/result',
    'it could not be run there again, so that what was known holds: no network',
  ],
]
