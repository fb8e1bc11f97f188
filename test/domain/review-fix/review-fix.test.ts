import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FIX_OUTCOMES, findExcuses, type ReportedOutcome } from '../../../src/domain/review-fix/fix-outcomes.ts'
import { type FixerAnswer, planRound, recordRound } from '../../../src/domain/review-fix/fix-round.ts'
import {
  block,
  countTracked,
  followFiles,
  isComplete,
  listActionable,
  listLeftovers,
  listOpen,
  listUnresolved,
  MAX_ATTEMPTS,
  recordOutcome,
  startTracker,
  type Trackable,
  type Tracker,
} from '../../../src/domain/review-fix/tracker.ts'

const at = 1_700_000_000_000
const trusting = () => undefined
const finding = (file: string, line?: string, id = 'X'): Trackable => ({ id, file, line })
const three = () => startTracker([finding('b.ts', '9'), finding('a.ts', '20-22'), finding('a.ts', '3')])
const statuses = ({ tracked }: Tracker) => Object.fromEntries(tracked.map(({ id, status }) => [id, status]))

function play(
  tracker: Tracker,
  asked: readonly string[],
  outcomes: readonly Partial<ReportedOutcome>[],
  doubts = trusting as (id: string) => string | undefined,
): Tracker {
  const answer: FixerAnswer = {
    kind: 'read',
    outcomes: outcomes.map((each) => ({ id: 'F001', outcome: 'fixed', explanation: 'done', ...each })),
  }
  return recordRound(tracker, { at, asked }, answer, doubts)
}

test('a tracker starts with every finding open under an id of ours, and keeps two findings of one id apart [S3-6] [S3-7]', () => {
  const tracker = startTracker([
    finding('b.ts', '9', 'F001'),
    finding('a.ts', '20-22', 'F001'),
    finding('a.ts', '3', 'F002'),
  ])
  assert.deepEqual(
    tracker.tracked.map(({ id, finding: { file, line, id: alias }, status, attempts }) => [
      id,
      file,
      line,
      alias,
      status,
      attempts,
    ]),
    [
      ['F001', 'a.ts', '3', 'F002', 'open', []],
      ['F002', 'a.ts', '20-22', 'F001', 'open', []],
      ['F003', 'b.ts', '9', 'F001', 'open', []],
    ],
  )
  assert.equal(listOpen(tracker).length, 3)
  assert.equal(listActionable(tracker).length, 3)
  assert.deepEqual(listUnresolved(tracker), [])
  assert.equal(isComplete(tracker), false)
  assert.equal(isComplete(startTracker([])), true)
})

test('an outcome is an attempt: fixed and blocked are final, deferred stays actionable [S3-8] [S3-9]', () => {
  const after = play(
    three(),
    ['F001', 'F002', 'F003'],
    [
      { id: 'F001', outcome: 'fixed' },
      { id: 'F002', outcome: 'blocked', explanation: 'needs a decision' },
      { id: 'F003', outcome: 'deferred', explanation: 'needs context' },
    ],
  )
  assert.deepEqual(statuses(after), { F001: 'fixed', F002: 'blocked', F003: 'deferred' })
  assert.deepEqual(after.tracked[1]?.attempts, [{ at, outcome: 'blocked', explanation: 'needs a decision' }])
  assert.deepEqual(
    listActionable(after).map(({ id }) => id),
    ['F003'],
  )
  assert.deepEqual(
    listUnresolved(after).map(({ id }) => id),
    ['F002', 'F003'],
  )
  const again = recordOutcome(after, 'F002', { at, outcome: 'fixed', explanation: 'after all' })
  assert.deepEqual(statuses(again), statuses(after))
  assert.match(again.remarks.join(), /F002 was reported as fixed, and is blocked already/)
})

test('silence is deferred, an unknown id and one of another round change nothing and are on record [S3-10]', () => {
  const after = play(three(), ['F001', 'F002'], [{ id: 'F002' }, { id: 'F003' }, { id: 'F9' }, { id: '__proto__' }])
  assert.deepEqual(statuses(after), { F001: 'deferred', F002: 'fixed', F003: 'open' })
  assert.deepEqual(after.tracked[0]?.attempts, [{ at, outcome: 'deferred', explanation: 'not reported' }])
  assert.deepEqual(after.remarks, [
    'an outcome was reported for F003, which this round was not about',
    'an outcome was reported for F9, which is no finding of this review',
    'an outcome was reported for __proto__, which is no finding of this review',
  ])
})

test('of two outcomes of one finding the worse counts, once', () => {
  for (const pair of [
    ['fixed', 'blocked'],
    ['blocked', 'fixed'],
  ] as const) {
    const after = play(
      three(),
      ['F001'],
      pair.map((outcome) => ({ outcome })),
    )
    assert.equal(after.tracked[0]?.status, 'blocked')
    assert.equal(after.tracked[0]?.attempts.length, 1)
    assert.match(after.remarks.join(), /F001 was reported as .* the worse counts/)
  }
})

test('a finding that is deferred three times is blocked, with every reason [S3-13]', () => {
  let tracker = three()
  for (const explanation of ['one', 'two', 'three']) {
    assert.ok(listActionable(tracker).some(({ id }) => id === 'F001'))
    tracker = play(tracker, ['F001'], [{ outcome: 'deferred', explanation }])
  }
  assert.equal(tracker.tracked[0]?.status, 'blocked')
  assert.equal(tracker.tracked[0]?.reason, 'deferred 3 times: 1. one 2. two 3. three')
})

test('a round that nobody answered is no attempt', () => {
  let tracker = three()
  for (let round = 0; round < 5; round += 1)
    tracker = recordRound(tracker, { at, asked: ['F001'] }, { kind: 'unusable', detail: 'it crashed' }, trusting)
  assert.deepEqual(statuses(tracker), { F001: 'open', F002: 'open', F003: 'open' })
  assert.equal(tracker.remarks.length, 5)
})

test('a claim that diff or gates contradict is deferred with what they say [S3-15]', () => {
  const after = play(three(), ['F001', 'F002'], [{ id: 'F001' }, { id: 'F002' }], (id) =>
    id === 'F001' ? 'npm test fails' : undefined,
  )
  assert.deepEqual(statuses(after), { F001: 'deferred', F002: 'fixed', F003: 'open' })
  assert.equal(after.tracked[0]?.attempts[0]?.explanation, 'npm test fails')
})

test('a deleted file blocks its findings without an attempt, and a renamed one is followed [S3-16]', () => {
  const tracker = followFiles(three(), {
    renamed: new Map([['a.ts', 'lib/a.ts']]),
    exists: (path) => path === 'lib/a.ts',
  })
  assert.deepEqual(
    tracker.tracked.map(({ file, status, attempts, reason }) => [file, status, attempts.length, reason]),
    [
      ['lib/a.ts', 'open', 0, undefined],
      ['lib/a.ts', 'open', 0, undefined],
      ['b.ts', 'blocked', 0, 'b.ts is not there any more'],
    ],
  )
})

test('a path outside of the tree is refused', () => {
  for (const file of ['/etc/passwd', '../x', 'a/../../x', 'C:\\x', '', '.git/config', 'a\\..\\b'])
    assert.throws(() => startTracker([finding(file)]), /no path inside the repository/)
})

test('the loop ends when all is decided, at its limit, or when a round has changed nothing [S3-12]', () => {
  const tracker = three()
  const state = { rounds: 0, maxIterations: 5, hasMoved: true }
  assert.deepEqual(planRound(tracker, state), { kind: 'ask', ids: ['F001', 'F002', 'F003'] })
  assert.deepEqual(planRound(tracker, { ...state, maxIterations: 0 }), { kind: 'stop', why: 'limit' })
  assert.deepEqual(planRound(tracker, { ...state, rounds: 5 }), { kind: 'stop', why: 'limit' })
  assert.deepEqual(planRound(tracker, { ...state, rounds: 1, hasMoved: false }), { kind: 'stop', why: 'stalled' })
  assert.deepEqual(planRound(play(tracker, ['F001'], [{}]), state), { kind: 'ask', ids: ['F002', 'F003'] })
  assert.deepEqual(planRound(startTracker([]), state), { kind: 'stop', why: 'complete' })
})

test('leftovers have every attempt and name excuses; nothing is rejected for one [S3-14] [S3-15]', () => {
  const after = play(
    three(),
    ['F001', 'F002'],
    [
      { id: 'F001', outcome: 'blocked', explanation: 'This is a pre-existing problem and out of scope.' },
      { id: 'F002', outcome: 'deferred', explanation: 'The schema is missing.' },
    ],
  )
  assert.deepEqual(
    listLeftovers(after).map(({ id, status, excuses, attempts }) => [id, status, excuses, attempts.length]),
    [
      ['F001', 'blocked', ['out of scope', 'pre-existing'], 1],
      ['F002', 'deferred', [], 1],
      ['F003', 'open', [], 0],
    ],
  )
  for (const text of ['too complex to do now', 'it is not my change', 'it takes too long', 'outside the scope of this'])
    assert.equal(findExcuses(text).length, 1, text)
  for (const text of ['the timeout takes effect too late', 'complex numbers', 'scope of the variable', ''])
    assert.deepEqual(findExcuses(text), [], text)
})

const outcome = fc.record({
  id: fc.constantFrom('F001', 'F002', 'F003', 'F004', 'F9', 'constructor'),
  outcome: fc.constantFrom(...FIX_OUTCOMES),
  explanation: fc.constantFrom('done', 'out of scope', ''),
})
const answer: fc.Arbitrary<FixerAnswer> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(outcome, { maxLength: 6 }).map((outcomes) => ({ kind: 'read' as const, outcomes })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'unusable' as const, detail: 'it crashed' }) },
)
const event = fc.record({
  answer,
  doubted: fc.subarray(['F001', 'F002', 'F003', 'F004']),
  gone: fc.subarray(['a.ts', 'b.ts', 'c.ts'], { maxLength: 1 }),
})
const findings = fc.array(
  fc.record({
    id: fc.constantFrom('F001', 'F002'),
    file: fc.constantFrom('a.ts', 'b.ts', 'c.ts'),
    line: fc.constantFrom('1', '20-30', undefined),
  }),
  { maxLength: 4 },
)

test('after every event and for every limit each finding is counted once, and what is final stays', () => {
  fc.assert(
    fc.property(
      findings,
      fc.integer({ min: 0, max: 10 }),
      fc.array(event, { maxLength: 12 }),
      (given, maxIterations, events) => {
        let tracker = startTracker(given)
        let rounds = 0
        const check = (before: Tracker): void => {
          const { total, ...counts } = countTracked(tracker)
          assert.equal(total, given.length)
          assert.equal(
            Object.values(counts).reduce((sum, count) => sum + count, 0),
            total,
          )
          assert.deepEqual(new Set(tracker.tracked.map((each) => each.finding)), new Set(given))
          for (const [index, { id, status, attempts }] of tracker.tracked.entries()) {
            const was = before.tracked[index]
            assert.equal(id, was?.id)
            if (was?.status === 'fixed' || was?.status === 'blocked') assert.equal(status, was.status)
            const more = attempts.length - (was?.attempts.length ?? 0)
            assert.ok(more === 0 || more === 1)
            assert.ok(attempts.length <= MAX_ATTEMPTS)
            if (status === 'deferred') assert.ok(attempts.length < MAX_ATTEMPTS)
            if (status === 'open') assert.equal(attempts.length, 0)
          }
          assert.equal(listLeftovers(tracker).length, total - counts.fixed)
          assert.equal(isComplete(tracker), counts.deferred + counts.untried === 0)
        }
        for (const { answer: answered, doubted, gone } of events) {
          let before = tracker
          tracker = followFiles(tracker, { renamed: new Map(), exists: (path) => !gone.includes(path) })
          check(before)
          const next = planRound(tracker, { rounds, maxIterations, hasMoved: true })
          if (next.kind === 'stop') break
          rounds += 1
          before = tracker
          const doubts = new Set<string>(doubted)
          tracker = recordRound(tracker, { at, asked: next.ids }, answered, (id) =>
            doubts.has(id) ? 'the gate says no' : undefined,
          )
          check(before)
          if (answered.kind === 'unusable') assert.deepEqual(tracker.tracked, before.tracked)
          for (const id of doubts)
            assert.notEqual(
              tracker.tracked.find(
                (each) => each.id === id && before.tracked.find((was) => was.id === id)?.status !== 'fixed',
              )?.status,
              'fixed',
            )
        }
        assert.ok(rounds <= maxIterations)
      },
    ),
    { numRuns: 500 },
  )
})

test('blocking a finding that is decided changes nothing', () => {
  const decided = play(three(), ['F001'], [{}])
  assert.equal(block(decided, 'F001', 'gone'), decided)
})
