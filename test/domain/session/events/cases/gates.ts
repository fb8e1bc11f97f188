// One event of every kind: what the gates find.
import {
  fixChallengerEvaluating,
  fixChallengerResult,
} from '../../../../../src/domain/session/events/challenge-events.ts'
import {
  fixProofResult,
  fixVerificationResult,
  fixVerificationStarted,
} from '../../../../../src/domain/session/events/verification-events.ts'
import { type ComparedRun, toComparedRun } from '../../../../../src/domain/session/events/verification-runs.ts'
import { type Case, FILES, FIRST_TEN, ISSUE } from './case.ts'

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
      's1.prove',
      { ...PROOF, codes: [...PROOF.codes], files: [], commands: [], tests: [], tree: 't' },
      {},
    ),
    's1.prove/proof',
    'A, B · proven: it fails without',
  ],
  [
    fixProofResult(
      's1.prove',
      { codes: ['A'], verdict: 'not_proven', why: 'no test', files: [], commands: [], tests: [], tree: 't' },
      ISSUE,
    ),
    's1.prove/proof',
    'A · not proven: no test',
  ],
  [
    fixChallengerEvaluating('s1.challenge', { codes: ['A', 'B'], tree: 't', diff_characters: 12 }),
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
]
