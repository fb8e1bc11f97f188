// One event of every kind: agent calls and issues.
import {
  fixCallCompleted,
  fixCallStarted,
  fixIssueStreaming,
} from '../../../../../src/domain/session/events/agent-call-events.ts'
import {
  fixBatchCompleted,
  fixBatchStarted,
  fixChecksSilenced,
  fixStageStarted,
} from '../../../../../src/domain/session/events/batch-events.ts'
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
} from '../../../../../src/domain/session/events/issue-events.ts'
import { logIssueReopened } from '../../../../../src/domain/session/events/logs/session-logs.ts'
import {
  logBranchMerged,
  logCallLost,
  logCallRefused,
  logConversationGone,
  logGitUseUndone,
  logLaneMerged,
  logReportsIgnored,
} from '../../../../../src/domain/session/events/logs/work-logs.ts'
import { type Case, COMMIT, FILES, FIRST_TEN, ISSUE } from './case.ts'

const CALL = { role: 'fixer', call: 's1.fix', attempt: 2, codes: ['A', 'B'] }
const REPORT = { model: 'm', models_tried: [], tokens: {}, durationMs: 1, notes: [] }
const CRASH = { class: 'no_usable_work', reason: 'crash', detail: 'it crashed' } as const
const FLAG = { file: 'a.py', line: 4, kind: 'suppression', text: '# noqa' } as const

export const WORK_CASES: readonly Case[] = [
  [fixIssueValidating({ status: 'open', file: 'a.py' }, ISSUE), 'A/validating', 'is open, about a.py'],
  [fixIssueAnalyzing({ label: 'BE 1/1' }, ISSUE), 'A/analyzing', 'planned into BE 1/1'],
  [fixIssueStarted({ title: 'Title' }, ISSUE), 'A/started', 'Title'],
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
    logIssueReopened({ commit: COMMIT }, ISSUE),
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
      failure_detail: 'it crashed',
    }),
    's1.fix/batch-completed',
    'BE Batch 2/3 · no changes applied: it crashed',
  ],
  [
    fixChecksSilenced({ call: 's1.fix', codes: ['A'], silenced: [FLAG] }),
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
    logConversationGone({ ...CALL, conversation: 'c1' }),
    's1.fix/2/gone',
    'conversation c1 is gone from this host: started afresh with the whole context',
  ],
  [
    logCallRefused({ call: 's1.fix', role: 'fixer', failure: CRASH }),
    's1.fix/not-asked',
    'fixer was not asked: it crashed',
  ],
  [
    logCallLost({ call: 's1.fix', attempt: 1, processes_ended: 2 }),
    's1.fix/1/lost',
    'attempt 1 of s1.fix was lost with its worker; it is made again',
  ],
  [
    logGitUseUndone('s1.fix', ['2 commits', 'a stash']),
    's1.fix/git',
    "2 commits; a stash: folded back, git is not the fixer's business",
  ],
  [
    logReportsIgnored('s1.fix', ['an outcome was reported for X, which is no issue of this session']),
    's1.fix/reports',
    "the fixer's report: an outcome was reported for X, which is no issue of this session",
  ],
  [
    logBranchMerged('s1.merge', { branch: 'fix/it', onto: COMMIT }),
    's1.merge/merged',
    'someone committed on fix/it: the fixes are merged onto 0123456789 and judged again',
  ],
  [
    logLaneMerged('s1.merge1', { lane: 2, onto: COMMIT, same_diff: true }),
    's1.merge1/merged',
    'the fixes of lane 2 are put onto 0123456789, which has landed meanwhile, and checked again',
  ],
  [
    logLaneMerged('s1.merge2', { lane: 2, onto: COMMIT, same_diff: false }),
    's1.merge2/merged',
    'the fixes of lane 2 are put onto 0123456789, which has landed meanwhile, and judged again',
  ],
]
