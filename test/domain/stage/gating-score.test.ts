// What a challenger's numbers are worth.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ChallengePoint,
  gatingScore,
  openBlockers,
  QualityScores,
  weightedScore,
} from '../../../src/domain/stage/gating-score.ts'

const percent = fc.double({ min: 0, max: 100, noNaN: true })
const four = fc.record({ correctness: percent, safety: percent, minimality: percent, style_consistency: percent })

test('the weighted score is 40 % correctness, 30 % safety, 15 % minimality, 15 % style [S2-18]', () => {
  const none = { correctness: 0, safety: 0, minimality: 0, style_consistency: 0 }
  assert.equal(weightedScore({ ...none, correctness: 100 }, undefined), 40)
  assert.equal(weightedScore({ ...none, safety: 100 }, undefined), 30)
  assert.equal(weightedScore({ ...none, minimality: 100 }, undefined), 15)
  assert.equal(weightedScore({ ...none, style_consistency: 100 }, undefined), 15)
  assert.equal(weightedScore({ correctness: 95, safety: 90, minimality: 80, style_consistency: 85 }, 12), 89.75)
})

test('the weighted score lies between the lowest and the highest dimension [S2-18]', () => {
  fc.assert(
    fc.property(four, (quality) => {
      const score = weightedScore(quality, undefined)
      assert.ok(score !== undefined)
      assert.ok(
        score >= Math.min(...Object.values(quality)) - 0.005 && score <= Math.max(...Object.values(quality)) + 0.005,
      )
    }),
  )
})

test('a dimension outside 0 to 100 is refused [S2-18]', () => {
  for (const value of [-1, 100.1, Number.NaN, Number.POSITIVE_INFINITY, '90', null]) {
    assert.ok(!QualityScores.safeParse({ correctness: value }).success, String(value))
  }
})

test('both names of the style score are read, and the long one wins [C7]', () => {
  assert.equal(QualityScores.parse({ style: 80 }).style_consistency, 80)
  assert.equal(QualityScores.parse({ style_consistency: 70 }).style_consistency, 70)
  assert.equal(QualityScores.parse({ style: 80, style_consistency: 0 }).style_consistency, 0)
  assert.ok(!('style' in QualityScores.parse({ style: 80 })))
})

test('a dimension that is missing counts as the score of the issue, and without both there is nothing to weigh [C7]', () => {
  assert.equal(weightedScore({ correctness: 100, safety: 90, style_consistency: 95 }, 80), 93.25)
  assert.equal(weightedScore({ style_consistency: undefined }, 77), 77)
  assert.equal(weightedScore({ correctness: 100, safety: 90, style_consistency: 95 }, undefined), undefined)
})

test('the score decides, and the weighted one only where it is missing [C7]', () => {
  fc.assert(
    fc.property(
      fc.option(percent, { nil: undefined }),
      fc.option(four, { nil: undefined }),
      (score, quality_scores) => {
        const expected = score ?? (quality_scores && weightedScore(quality_scores, undefined))
        assert.equal(gatingScore({ score, quality_scores }), expected)
      },
    ),
  )
  assert.equal(
    gatingScore({
      score: 0,
      quality_scores: { correctness: 100, safety: 100, minimality: 100, style_consistency: 100 },
    }),
    0,
  )
  assert.equal(gatingScore({}), undefined)
})

test('a blocker stays open until the challenger itself says that it is settled', () => {
  const points = [
    { id: '1', blocker: true, text: '', settled: false },
    { id: '2', blocker: true, text: '', settled: true },
    { id: '3', blocker: false, text: '', settled: false },
  ]
  assert.deepEqual(
    openBlockers(points).map((point) => point.id),
    ['1'],
  )
  assert.deepEqual(ChallengePoint.parse({ id: '4' }), { id: '4', blocker: false, text: '', settled: false })
})
