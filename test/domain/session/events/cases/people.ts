// One event of every kind: what is asked and decided.
import type { NewEvent } from '../../../../../src/domain/session/events/index.ts'
import {
  logAnswerReused,
  logCallSplit,
  logClarified,
  logPlanMissing,
  logPlanRemarks,
} from '../../../../../src/domain/session/events/logs/session-logs.ts'
import {
  fixClarificationClosed,
  fixClarificationNeeded,
  fixClarificationReceived,
  fixPlanDecided,
  fixPlanReady,
} from '../../../../../src/domain/session/events/people-events.ts'
import { fixScopeDecided, fixScopeViolation } from '../../../../../src/domain/session/events/scope-events.ts'
import { ADA, type Case, FILES, FIRST_TEN, ISSUE } from './case.ts'

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
    logPlanMissing('p1', { detail: 'it crashed' }),
    'p1/unplanned',
    'there is no plan of an agent, the rules of order have to do: it crashed',
  ],
  [logPlanRemarks('p1', ['one', 'two'])[1] as NewEvent, 'p1/remark2', 'two'],
  [
    logCallSplit('plan', { points: 60, max_points: 40, calls: 2 }),
    'plan/sliced',
    '60 points of work are more than the 40 that one call gets: they are sliced into 2 calls, one after the other',
  ],
]
