import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Attempt, listSelectedCodes, type StageRules } from '../../../src/domain/stage/attempt.ts'
import { decideNextRound, type NextRound, type StageProgress } from '../../../src/domain/stage/next-round.ts'
import { attempt, RandomAttempts, RandomCodes, RULES } from '../../support/attempts.ts'

function after(
  attempts: readonly Attempt[],
  more: Partial<StageProgress> = {},
  rules: Partial<StageRules> = {},
): NextRound {
  const soFar = { codes: ['A', 'B', 'C'], ended: new Set<string>(), attempts, iterationsUsed: attempts.length, ...more }
  return decideNextRound(soFar, { ...RULES, ...rules })
}

function again(...given: Parameters<typeof after>): readonly string[] | string {
  const round = after(...given)
  return round.kind === 'again' ? round.codes : round.kind === 'over' ? round.why : round.kind
}

test('accepted, or again while there are iterations, or over [S0-13, S1-7]', () => {
  assert.equal(again([attempt({ A: 95, B: 95, C: 95 })]), 'accepted')
  assert.deepEqual(again([attempt({ A: 95, B: 95, C: 80 })]), ['C'])
  assert.equal(again([attempt({ A: 95, B: 95, C: 80 })], { iterationsUsed: 3 }), 'iterations')
})

test('the issues below 90 go again; if there is none, those below 95 [C2, S2-14, S2-26]', () => {
  assert.deepEqual(again([attempt({ A: 99, B: 89, C: 92 })]), ['B'])
  assert.deepEqual(again([attempt({ A: 99, B: 90, C: 92 })]), ['B', 'C'])
})

test('an issue with an open blocker goes again whatever its score, and so does one without a file of its own', () => {
  assert.deepEqual(again([attempt({ A: { score: 100, blockers: 1 }, B: 96 })]), ['A', 'C'])
})

test('all go again when the verification failed, which names no issue [S2-12]', () => {
  assert.deepEqual(again([attempt({ A: 99, B: 50, C: 99 }, { verification: 'failed' })]), ['A', 'B', 'C'])
})

test('all go again when the score of the whole diff is too low', () => {
  const rules = { requiresWholeDiffScore: true }
  assert.deepEqual(again([attempt({ A: 99, B: 99, C: 99 }, { wholeDiffScore: 94 })], {}, rules), ['A', 'B', 'C'])
  assert.deepEqual(again([attempt({ A: 99, B: 60, C: 99 }, { wholeDiffScore: 96 })], {}, rules), ['B'])
})

test('when nothing was judged at all, everything is tried again from the untouched tree', () => {
  assert.deepEqual(after([], { iterationsUsed: 1 }), {
    kind: 'again',
    codes: ['A', 'B', 'C'],
    start: { selections: [], owners: [] },
  })
})

test('a re-fix starts from the best attempt of each knot', () => {
  const first = attempt({ A: 80, B: 88, C: 97 })
  const second = attempt({ A: 97, B: 60, C: 97 })
  const round = after([first, second])
  assert.equal(round.kind, 'again')
  assert.deepEqual(round.kind === 'again' && [round.codes, round.start.selections], [
    ['B'],
    [
      { snapshot: second.selections[0]?.snapshot, codes: ['A', 'C'] },
      { snapshot: first.selections[0]?.snapshot, codes: ['B'] },
    ],
  ])
})

test('the verdicts on the tree that a round starts from count, not better ones from elsewhere', () => {
  const first = attempt({ A: 80, B: 97, C: 97 })
  const [one] = first.selections
  // B was left alone, but with the new A in the tree it is worth less.
  const picks = [
    { snapshot: one?.snapshot ?? '', codes: ['B', 'C'] },
    { snapshot: 'next', codes: ['A'] },
  ]
  const second = attempt({ A: 97, B: 85, C: 97 }, { selections: picks })
  assert.deepEqual(again([first, second]), ['B'])
})

test('who has ended is not tried again, and what can come of nothing is not in the next tree', () => {
  const tied = attempt({ A: 60, B: 70, C: 80 }, { owners: [['A', 'B']] })
  const round = after([tied], { ended: new Set(['A']) })
  assert.deepEqual(round.kind === 'again' && round.codes, ['B', 'C'])
  assert.deepEqual(
    round.kind === 'again' && listSelectedCodes(round.start),
    ['C'],
    'B shared a file with A and starts over',
  )
  assert.equal(again([attempt({ A: 60 })], { ended: new Set(['A', 'B', 'C']) }), 'nothing left to try')
})

test('who has ended after it was solved keeps what it had', () => {
  const first = attempt({ A: 97, B: 60, C: 97 })
  const round = after([first], { ended: new Set(['A']) })
  assert.deepEqual(round.kind === 'again' && [round.codes, listSelectedCodes(round.start)], [['B'], ['A', 'B', 'C']])
})

test('a stage stalls on the same tree or the same words twice, unless it got better by them', () => {
  const first = attempt({ A: 60, B: 97, C: 97 })
  const same = { tree: first.tree }
  assert.equal(again([first, attempt({ A: 60, B: 97, C: 97 }, same)]), 'stalled')
  assert.equal(again([first, attempt({ A: 50, B: 97, C: 97 }, { feedbackKey: first.feedbackKey })]), 'stalled')
  assert.deepEqual(again([first, attempt({ A: 70, B: 97, C: 97 }, { feedbackKey: first.feedbackKey })]), ['A'])
  assert.deepEqual(again([first, attempt({ A: 60, B: 97, C: 97 })]), ['A'])
  const rules = { maxIterations: 9 }
  const back = [first, attempt({ A: 61, B: 97, C: 97 }), attempt({ A: 60, B: 97, C: 97 }, same)]
  assert.equal(again(back, {}, rules), 'stalled', 'one of the earlier ones is enough')
})

test('only issues that were asked for and have not ended go again, and never past the last iteration', () => {
  fc.assert(
    fc.property(RandomCodes, RandomCodes, RandomAttempts, fc.nat(4), (codes, ended, attempts, iterationsUsed) => {
      const round = decideNextRound({ codes, ended: new Set(ended), attempts, iterationsUsed }, RULES)
      if (round.kind !== 'again') return
      assert.ok(iterationsUsed < RULES.maxIterations)
      assert.ok(round.codes.length > 0)
      assert.ok(round.codes.every((code) => codes.includes(code) && !ended.includes(code)))
      assert.ok(listSelectedCodes(round.start).every((code) => codes.includes(code)))
    }),
  )
})
