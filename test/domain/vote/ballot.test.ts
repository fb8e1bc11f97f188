import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Ballot,
  countBallots,
  NO_VOTE_REASONS,
  type NoVoteReason,
  VOTERS,
} from '../../../src/domain/vote/ballot.ts'

const vendors = { claude: 'Anthropic', gemini: 'Google' }
const voted = (voter: 'claude' | 'gemini', vote: number, vendor = vendors[voter]): Ballot => ({
  kind: 'vote',
  voter,
  vendor,
  model: `${voter}-model`,
  vote,
})

test('a mean of 80 approves, and one below it does not [S0-19]', () => {
  assert.deepEqual(countBallots([voted('claude', 85), voted('gemini', 78)]), {
    verdict: 'approved',
    mean: 81.5,
    reasons: [],
  })
  assert.equal(countBallots([voted('gemini', 80), voted('claude', 80)]).verdict, 'approved')
  assert.deepEqual(countBallots([voted('claude', 80), voted('gemini', 79.9)]), {
    verdict: 'not_approved',
    mean: 79.95,
    reasons: [],
  })
  // One vote of 100 carries no change that the other one rejects.
  assert.equal(countBallots([voted('claude', 100), voted('gemini', 59)]).verdict, 'not_approved')
})

test('without a vote of each voter on the roster there is no verdict, whatever has arrived [S0-19]', () => {
  assert.deepEqual(countBallots([]).reasons, ['claude has not voted', 'gemini has not voted'])
  assert.deepEqual(countBallots([voted('claude', 100)]).reasons, ['gemini has not voted'])
  assert.deepEqual(countBallots([voted('claude', 100), voted('claude', 100)]).reasons, [
    'claude has voted 2 times',
    'gemini has not voted',
  ])
  assert.deepEqual(countBallots([voted('claude', 100), voted('gemini', 100, 'Anthropic')]), {
    verdict: 'no_verdict',
    reasons: ['both votes come from one vendor, Anthropic: claude-model and gemini-model'],
  })
})

test('every reason for a missing vote is told, and none of them is a verdict', () => {
  for (const reason of Object.keys(NO_VOTE_REASONS) as NoVoteReason[]) {
    const count = countBallots([voted('claude', 100), { kind: 'none', voter: 'gemini', reason, detail: 'the detail' }])
    assert.equal(count.verdict, 'no_verdict')
    assert.deepEqual(count.reasons, [`gemini ${NO_VOTE_REASONS[reason]}: the detail`])
    assert.equal(count.mean, undefined)
  }
})

test('a head that has moved since takes the verdict with it', () => {
  const ballots = [voted('claude', 100), voted('gemini', 100)]
  const moved = countBallots(ballots, { name: 'feature', to: '0123456789abcdef' })
  assert.deepEqual(moved, { verdict: 'no_verdict', reasons: ['feature has moved to 0123456789 since'] })
  assert.match(countBallots(ballots, { name: 'feature', to: undefined }).reasons.join(), /feature is gone/)
})

const voter = fc.constantFrom(...VOTERS)
const ballot: fc.Arbitrary<Ballot> = fc.oneof(
  fc.record({
    kind: fc.constant('vote' as const),
    voter,
    vendor: fc.constantFrom('Anthropic', 'Google'),
    model: fc.string(),
    vote: fc.double({ min: 0, max: 100, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('none' as const),
    voter,
    reason: fc.constantFrom(...(Object.keys(NO_VOTE_REASONS) as NoVoteReason[])),
    detail: fc.string(),
  }),
)

test('ballots are approved exactly if one vote of each of two vendors has a mean of 80, in any order', () => {
  fc.assert(
    fc.property(fc.array(ballot, { maxLength: 4 }), (ballots) => {
      const { verdict, reasons } = countBallots(ballots)
      const votes = ballots.flatMap((each) => (each.kind === 'vote' ? [each] : []))
      const isWhole =
        ballots.length === 2 &&
        new Set(votes.map((each) => each.voter)).size === 2 &&
        new Set(votes.map((each) => each.vendor)).size === 2
      const mean = votes.reduce((sum, { vote }) => sum + vote, 0) / 2
      assert.equal(verdict, isWhole ? (mean >= 80 ? 'approved' : 'not_approved') : 'no_verdict')
      assert.equal(reasons.length > 0, verdict === 'no_verdict')
      assert.equal(countBallots([...ballots].reverse()).verdict, verdict)
    }),
  )
})
