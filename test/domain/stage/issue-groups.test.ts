import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Attempt, isApproved, listSelectedCodes, passesEveryGate } from '../../../src/domain/stage/attempt.ts'
import {
  chooseAttemptToCommit,
  chooseBestAttempts,
  composeSelections,
  groupIssues,
  isBetter,
  isSameSelection,
  selectApprovedGroups,
} from '../../../src/domain/stage/issue-groups.ts'
import { attempt, RandomAttempts, RandomCodes, RULES } from '../../support/attempts.ts'

const bestOf = (code: string, ...attempts: Attempt[]) => chooseBestAttempts([code], attempts, RULES)[0]?.attempt

test('issues that share a changed file are a knot, also through a third one, in the order of the stage', () => {
  assert.deepEqual(
    groupIssues(
      ['A', 'B', 'C', 'D', 'E'],
      [
        ['E', 'A'],
        ['B', 'D'],
        ['A', 'C'],
      ],
    ),
    [
      ['A', 'C', 'E'],
      ['B', 'D'],
    ],
  )
  assert.deepEqual(groupIssues(['A', 'B'], []), [['A'], ['B']])
})

test('sharing a file in any one attempt makes a knot for the whole stage', () => {
  const attempts = [attempt({ A: 95, B: 95 }, { owners: [['A', 'B']] }), attempt({ A: 96, B: 96 })]
  assert.deepEqual(
    chooseBestAttempts(['A', 'B'], attempts, RULES).map(({ group }) => group),
    [['A', 'B']],
  )
})

test('knots part the issues: each in exactly one, and no set of owners in two', () => {
  const Sets = fc.array(fc.subarray(['A', 'B', 'C', 'D', 'X'], { minLength: 1 }), { maxLength: 6 })
  fc.assert(
    fc.property(RandomCodes, Sets, (codes, owners) => {
      const knots = groupIssues(codes, owners)
      assert.deepEqual(knots.flat().sort(), [...codes].sort())
      for (const set of owners) {
        assert.ok(knots.filter((knot) => knot.some((code) => set.includes(code))).length <= 1)
      }
    }),
  )
})

test('the best attempt: verification, then blockers, then how many, the lowest score, the mean, the later one', () => {
  const inOrder = [
    attempt({ A: 100, B: 100 }, { verification: 'failed' }),
    attempt({ A: 100, B: { score: 100, blockers: 1 } }),
    attempt({ A: 89, B: 89 }),
    attempt({ A: 100, B: 10 }),
    attempt({ A: 90, B: 20 }),
    attempt({ A: 91, B: 20 }),
    attempt({ A: 91, B: 20 }),
  ]
  for (const [index, better] of inOrder.entries()) {
    for (const worse of inOrder.slice(0, index)) {
      const choices = chooseBestAttempts(['A', 'B'], [{ ...worse, owners: [['A', 'B']] }, better], RULES)
      assert.equal(
        choices[0]?.attempt,
        better,
        `${JSON.stringify(better.issues)} after ${JSON.stringify(worse.issues)}`,
      )
    }
  }
})

test('a worse later attempt never replaces a better one', () => {
  const first = attempt({ A: 92 })
  assert.equal(bestOf('A', first, attempt({ A: 91 })), first)
  assert.equal(bestOf('A', first, attempt({ A: 100 }, { verification: 'failed' })), first)
  assert.equal(bestOf('A', first, attempt({ B: 100 })), first, 'a tree without it says nothing about it')
  fc.assert(
    fc.property(RandomCodes, RandomAttempts, (codes, attempts) => {
      for (const choice of chooseBestAttempts(codes, attempts, RULES)) {
        for (const rival of attempts) {
          const isCandidate = rival.owners.flat().every((code) => codes.includes(code))
          const isAbout = choice.group.some((code) => listSelectedCodes(rival).includes(code))
          if (isCandidate && isAbout) assert.ok(!isBetter(rival, choice.attempt, choice.group, RULES))
        }
      }
    }),
  )
})

test('an attempt whose files an outsider shares is none: they could not be taken over without it', () => {
  const shared = attempt({ A: 97, X: 40 }, { owners: [['A', 'X']] })
  const alone = attempt({ A: 91 })
  assert.equal(bestOf('A', alone, shared), alone)
  assert.equal(bestOf('A', shared), undefined)
})

test('an issue that failed goes, and its mates are chosen again without it [C3]', () => {
  const alone = attempt({ A: 91, B: 50, C: 97 })
  const tied = attempt({ A: 96, B: 60, C: 92 }, { owners: [['A', 'B']] })
  assert.deepEqual(selectApprovedGroups(['A', 'B', 'C'], [alone, tied], RULES), [
    { group: ['A'], attempt: alone },
    { group: ['C'], attempt: alone },
  ])
  assert.deepEqual(
    selectApprovedGroups(['A', 'B', 'C'], [tied], RULES).map(({ group }) => group),
    [['C']],
  )
})

test('what is kept is approved issue by issue, and no file of it belongs to anybody who is not', () => {
  fc.assert(
    fc.property(RandomCodes, RandomAttempts, (codes, attempts) => {
      const kept = selectApprovedGroups(codes, attempts, RULES)
      const all = kept.flatMap(({ group }) => group)
      for (const { group, attempt: chosen } of kept) {
        assert.ok(group.every((code) => isApproved(code, chosen, RULES)))
        for (const set of chosen.owners.filter((each) => each.some((code) => group.includes(code)))) {
          assert.ok(set.every((code) => group.includes(code)))
        }
      }
      const { selections, owners } = composeSelections(kept)
      assert.deepEqual(listSelectedCodes({ selections, owners }).sort(), [...all].sort())
      assert.equal(new Set(selections.map(({ snapshot }) => snapshot)).size, selections.length)
    }),
  )
})

test('a tree is told by who comes from which snapshot, in whatever order', () => {
  const one = [
    { snapshot: 's', codes: ['A', 'B'] },
    { snapshot: 't', codes: ['C'] },
  ]
  const other = [
    { snapshot: 't', codes: ['C'] },
    { snapshot: 's', codes: ['B'] },
    { snapshot: 's', codes: ['A'] },
  ]
  assert.ok(isSameSelection(one, other))
  assert.ok(!isSameSelection(one, [{ snapshot: 's', codes: ['A', 'B', 'C'] }]))
})

test('of the trees that passed every gate the one with the most issues is committed, then the best scores', () => {
  const two = attempt({ A: 91, B: 91 })
  const better = attempt({ A: 92, B: 91 })
  assert.equal(chooseAttemptToCommit([two, attempt({ A: 100 })], RULES), two)
  assert.equal(chooseAttemptToCommit([better, two], RULES), better)
  assert.equal(
    chooseAttemptToCommit([attempt({ A: 80 }), attempt({ A: 99 }, { verification: 'failed' })], RULES),
    undefined,
  )
  fc.assert(
    fc.property(RandomAttempts, (attempts) => {
      const best = chooseAttemptToCommit(attempts, RULES)
      for (const each of attempts.filter((one) => passesEveryGate(one, RULES))) {
        assert.ok(best && listSelectedCodes(best).length >= listSelectedCodes(each).length)
      }
    }),
  )
})
