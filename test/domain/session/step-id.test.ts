import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  formatStepId,
  formatStepPart,
  getStageNumber,
  isWithinStep,
  parseStepId,
  toMergeName,
  toRoundName,
  toSelectionName,
  withoutParts,
} from '../../../src/domain/session/step-id.ts'
import type { RoundName, Step, StepPart, TreeName } from '../../../src/domain/session/step-patterns.ts'

const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { noNullPrototype: true })
const number = fc.integer({ min: 1, max: 99_999 })
const roundName: fc.Arbitrary<RoundName> = fc.oneof(number.map(toRoundName), fc.constant('extra' as const))
const after = fc.option(record({ step: fc.constantFrom('fresh' as const, 'merge' as const), turn: number }), {
  nil: undefined,
})
const tree: fc.Arbitrary<TreeName> = fc.oneof(
  roundName,
  number.map(toMergeName),
  fc.tuple(number, after).map(([turn, place]) => toSelectionName(turn, place)),
)
const sha = fc.stringMatching(/^[0-9a-f]{40}$/)
const AnyStep: fc.Arbitrary<Step> = fc.oneof(
  record({ kind: fc.constantFrom('name_branch' as const, 'baseline' as const, 'apply_answers' as const) }),
  record({ kind: fc.constant('commit_baseline' as const), sha }),
  record({ kind: fc.constant('clarify' as const), round: number }),
  record({ kind: fc.constantFrom('plan' as const, 'apply_agreed_plan' as const), attempt: number }),
  record({ kind: fc.constant('edit_plan' as const), attempt: number, edit: number }),
  record({ kind: fc.constant('apply_plan' as const), attempt: number, turn: number }),
  record({ kind: fc.constant('fix' as const), stage: number, round_name: roundName, batch: number }),
  record({ kind: fc.constantFrom('verify' as const, 'challenge' as const), stage: number, tree }),
  record({
    kind: fc.constantFrom('verify_fresh' as const, 'merge' as const, 'commit' as const),
    stage: number,
    turn: number,
  }),
  record({ kind: fc.constant('prove' as const), stage: number, turn: number, group: number }),
)
const AnyPart: fc.Arbitrary<StepPart> = fc.oneof(
  record({
    kind: fc.constantFrom<Exclude<StepPart, { n: number }>['kind'][]>(
      ...(['rest', 'repair', 'restart', 'commit_message', 'branch_wait', 'people_wait', 'resumed', 'scope'] as const),
      ...(['setup_without_fix', 'setup_in_work_tree', 'stdout', 'stderr'] as const),
    ),
  }),
  record({
    kind: fc.constantFrom<Extract<StepPart, { n: number }>['kind'][]>(
      ...(['retry', 'provider_wait', 'command', 'setup', 'setup_retry', 'commit_part', 'tests_of_group'] as const),
    ),
    n: number,
  }),
)

test('parseStepId finds what formatStepId was given, whatever it was: no two ids collide', () => {
  fc.assert(
    fc.property(AnyStep, fc.array(AnyPart, { maxLength: 4 }), (step, parts) => {
      assert.deepEqual(parseStepId(formatStepId(step, parts)), { ...step, parts })
    }),
    { numRuns: 2000 },
  )
})

test('parseStepId takes no other spelling of an id', () => {
  for (const text of [
    '',
    's1',
    's1.i2',
    's1.commit1',
    's01.commit',
    's1.commit.',
    's1.i1.verify.else',
    'plan.p1.e',
    'base.12ab',
  ])
    assert.equal(parseStepId(text), undefined, text)
})

test('isWithinStep knows a step and its parts from steps with a longer number', () => {
  const fix = formatStepId({ kind: 'fix', stage: 1, round_name: 'i1', batch: 1 })
  assert.ok(isWithinStep(fix, fix))
  assert.ok(isWithinStep(formatStepPart(fix, { kind: 'repair' }), fix))
  assert.ok(!isWithinStep(formatStepId({ kind: 'plan', attempt: 10 }), formatStepId({ kind: 'plan', attempt: 1 })))
})

test('withoutParts and getStageNumber say to which step, and to which stage, an id belongs', () => {
  assert.equal(withoutParts('s2.i1.b1.fix.rest.w2.repair'), 's2.i1.b1.fix')
  assert.equal(withoutParts('s2.fresh1.select1.challenge.fresh'), 's2.fresh1.select1.challenge')
  assert.deepEqual(['s2.i1.b1.fix.rest.w2', 's10.commit.message', 'plan.p1', 'base'].map(getStageNumber), [
    2,
    10,
    undefined,
    undefined,
  ])
})
