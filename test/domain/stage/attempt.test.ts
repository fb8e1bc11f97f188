import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSolved, passesEveryGate } from '../../../src/domain/stage/attempt.ts'
import { isAccepted } from '../../../src/domain/stage/next-round.ts'
import { attempt, RandomAttempts, RandomCodes, RULES } from '../../support/attempts.ts'

test('an issue is solved from 90 on: the score decides, and without one there is no approval [S2-1]', () => {
  const judged = attempt({ A: 90, B: 89.9, C: null, D: 100 })
  assert.deepEqual(
    ['A', 'B', 'C', 'D', 'E'].filter((code) => isSolved(code, judged, RULES)),
    ['A', 'D'],
  )
})

test('an issue without files in the tree is never solved, though an earlier verdict speaks of it or nobody challenges', () => {
  const without = { ...attempt({ A: 100, B: 100 }), selections: [{ snapshot: 's1', codes: ['A'] }] }
  assert.deepEqual([isSolved('A', without, RULES), isSolved('B', without, RULES)], [true, false])
  assert.equal(isSolved('B', without, { ...RULES, challenge: false }), false)
})

test('an open blocker or a verification that failed outweighs any score', () => {
  assert.equal(isSolved('A', attempt({ A: { score: 100, blockers: 1 } }), RULES), false)
  assert.equal(isSolved('A', attempt({ A: 100 }, { verification: 'failed' }), RULES), false)
})

test('at least one gate has to have looked: the challenger, or a verification that passed', () => {
  const alone = { ...RULES, challenge: false }
  assert.equal(isSolved('A', attempt({ A: 100 }, { verification: 'unverified' }), RULES), true)
  assert.equal(isSolved('A', attempt({ A: null }, { verification: 'unverified' }), alone), false)
  assert.equal(isSolved('A', attempt({ A: null }, { verification: 'passed' }), alone), true)
})

test('a stage is accepted when every issue has 90 and their mean is 95 [C2, S2-26]', () => {
  const accepted = (...scores: number[]) => {
    const codes = scores.map((_, index) => 'ABCD'[index] ?? '')
    return isAccepted(codes, attempt(Object.fromEntries(codes.map((code, index) => [code, scores[index] ?? 0]))), RULES)
  }
  assert.equal(accepted(95), true)
  assert.equal(accepted(94), false)
  assert.equal(accepted(90, 100), true)
  assert.equal(accepted(90, 99), false)
  assert.equal(accepted(89, 100, 100, 100), false, 'a mean never makes up for an issue below the floor')
})

test('a tree that holds more than what is asked about is accepted only if that passed, too', () => {
  assert.equal(isAccepted(['A'], attempt({ A: 99, B: 50 }), RULES), false)
  assert.equal(isAccepted(['A', 'B'], attempt({ A: 99 }), RULES), false)
})

test('in sequential the score of the whole diff has to reach the threshold, and takes the place of the mean [C4, S0-14]', () => {
  const rules = { ...RULES, requiresWholeDiffScore: true }
  assert.equal(isAccepted(['A'], attempt({ A: 91 }, { wholeDiffScore: 95 }), rules), true)
  assert.equal(isAccepted(['A'], attempt({ A: 99 }, { wholeDiffScore: 94 }), rules), false)
  assert.equal(isAccepted(['A'], attempt({ A: 99 }), rules), false, 'no score, no approval')
  assert.equal(isAccepted(['A'], attempt({ A: 89 }, { wholeDiffScore: 99 }), rules), false)
})

test('whatever is accepted may be committed, and nothing is that a gate refused', () => {
  fc.assert(
    fc.property(RandomCodes, RandomAttempts, fc.boolean(), (codes, attempts, challenge) => {
      const rules = { ...RULES, challenge }
      for (const each of attempts) {
        if (isAccepted(codes, each, rules)) assert.ok(passesEveryGate(each, rules))
        if (!passesEveryGate(each, rules)) continue
        assert.notEqual(each.verification, 'failed')
        const verdicts = Object.values(each.issues)
        if (challenge) assert.ok(verdicts.every(({ score, blockers }) => score >= 90 && blockers === 0))
        else assert.equal(each.verification, 'passed')
      }
    }),
  )
})
