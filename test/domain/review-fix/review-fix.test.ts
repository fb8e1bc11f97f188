import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseWorseReport, filterReports } from '../../../src/domain/review-fix/filter-reports.ts'
import { findExcuses, renderLeftoverIssue, toLeftover } from '../../../src/domain/review-fix/leftover.ts'
import { summarizeFindings } from '../../../src/domain/review-fix/summarize-findings.ts'
import {
  AttemptOutcome,
  block,
  concludeTracker,
  countTracked,
  dismiss,
  MAX_ATTEMPTS,
  recordOutcome,
  startTracker,
  type Tracker,
} from '../../../src/domain/review-fix/tracker.ts'
import { FixClaim } from '../../../src/domain/stage/reply-schemas.ts'

const at = 1_700_000_000_000
const IDS = ['F001', 'F002', 'F003']
const three = () => startTracker(IDS)
const statuses = ({ tracked }: Tracker) => Object.fromEntries(tracked.map(({ id, status }) => [id, status]))
const record = (tracker: Tracker, id: string, outcome: AttemptOutcome, explanation = 'why') =>
  recordOutcome(tracker, id, { at, outcome, explanation })
/** Open, or deferred and to be tried again. */
const listActionable = ({ tracked }: Tracker) =>
  tracked.filter(({ status }) => status === 'open' || status === 'deferred')
const claim = (issue_code: string, status: string) => FixClaim.parse({ issue_code, status })
const finding = {
  title: 'divides by zero',
  description: 'with [], it crashes',
  file: 'a.ts',
  severity: 'high' as const,
}

test('a tracker starts with every finding open, by its id [S3-6] [S3-7]', () => {
  const tracker = three()
  assert.deepEqual(
    tracker.tracked.map(({ id, status, attempts }) => [id, status, attempts]),
    IDS.map((id) => [id, 'open', []]),
  )
  assert.equal(listActionable(tracker).length, 3)
  assert.deepEqual(listActionable(startTracker([])), [])
})

test('an outcome is an attempt: blocked is final, fixed is never made worse, deferred stays actionable [S3-8] [S3-9] [C14]', () => {
  let after = record(three(), 'F001', 'fixed')
  after = record(after, 'F002', 'blocked', 'needs a decision')
  after = record(after, 'F003', 'deferred', 'needs context')
  assert.deepEqual(statuses(after), { F001: 'fixed', F002: 'blocked', F003: 'deferred' })
  assert.deepEqual(after.tracked[1]?.attempts, [{ at, outcome: 'blocked', explanation: 'needs a decision' }])
  assert.equal(after.tracked[1]?.reason, 'blocked: needs a decision')
  assert.deepEqual(
    listActionable(after).map(({ id }) => id),
    ['F003'],
  )
  assert.deepEqual(statuses(record(after, 'F002', 'fixed')), statuses(after))
  assert.deepEqual(statuses(record(after, 'F001', 'deferred')), statuses(after))
  assert.deepEqual(statuses(record(after, '__proto__', 'fixed')), statuses(after))
})

test('a finding that is deferred three times is blocked, with every reason [S3-13] [C15]', () => {
  let tracker = three()
  for (const explanation of ['one', 'two', 'three']) {
    assert.ok(listActionable(tracker).some(({ id }) => id === 'F001'))
    tracker = record(tracker, 'F001', 'deferred', explanation)
  }
  assert.equal(tracker.tracked[0]?.status, 'blocked')
  assert.equal(tracker.tracked[0]?.reason, 'blocked after 3 attempts: 1. one; 2. two; 3. three')
})

test('a finding is blocked without an attempt, and what is decided stays [S3-16]', () => {
  const gone = block(three(), 'F001', 'a.ts is not there any more')
  assert.deepEqual([gone.tracked[0]?.status, gone.tracked[0]?.attempts], ['blocked', []])
  const decided = dismiss(record(gone, 'F002', 'fixed'), 'F003', 'no defect')
  for (const id of IDS) assert.deepEqual(block(decided, id, 'x'), decided)
})

test('of two reports about one issue the worse counts; unknown ids and those of another call change nothing and are on record [S3-10]', () => {
  for (const pair of [
    ['fixed', 'blocked'],
    ['blocked', 'fixed'],
  ] as const) {
    const [one, other] = pair.map((status) => claim('F001', status))
    assert.equal(one && other && chooseWorseReport(one, other).status, 'blocked')
  }
  const reports = ['F002', 'F003', 'F9', '__proto__'].map((id) => claim(id, 'fixed'))
  const { claims, remarks } = filterReports(['F001', 'F002'], reports, IDS)
  assert.deepEqual(
    claims.map(({ issue_code }) => issue_code),
    ['F002'],
  )
  assert.deepEqual(remarks, [
    'an outcome was reported for F003, which this call was not about',
    'an outcome was reported for F9, which is no issue of this session',
    'an outcome was reported for __proto__, which is no issue of this session',
  ])
})

test('leftovers have every attempt and name excuses; nothing is rejected for one [S3-14] [S3-15]', () => {
  const tracker = record(three(), 'F001', 'blocked', 'This is a pre-existing problem and out of scope.')
  const leftovers = tracker.tracked.map((each) => toLeftover(each, finding))
  assert.deepEqual(
    leftovers.map((each) => each && [each.id, each.status, each.excuses, each.attempts.length]),
    [
      ['F001', 'blocked', ['out of scope', 'pre-existing'], 1],
      ['F002', 'untried', [], 0],
      ['F003', 'untried', [], 0],
    ],
  )
  const issue = leftovers[0] && renderLeftoverIssue('abc', leftovers[0])
  assert.equal(issue?.key, 'abc:F001')
  assert.match(issue?.title ?? '', /^a\.ts: divides by zero$/)
  assert.match(issue?.body ?? '', /it crashes[\s\S]*\*\*blocked\*\*[\s\S]*1\. blocked: This is[\s\S]*"out of scope"/)
  for (const text of ['too complex to do now', 'it is not my change', 'it takes too long', 'outside the scope of this'])
    assert.equal(findExcuses(text).length, 1, text)
  for (const text of ['the timeout takes effect too late', 'complex numbers', 'scope of the variable', ''])
    assert.deepEqual(findExcuses(text), [], text)
})

test('a summary counts what no fixer was asked about: paths outside of the repository are blocked, what ended early is untried', () => {
  const issue = { ...finding, issue_code: 'F001' }
  const outside = { id: 'F002', title: 'a secret', failure: 'it leaks', file: '../x', severity: 'low' as const }
  const { leftovers, ...counts } = summarizeFindings({
    ...{ issues: [issue], results: [], tracked: [], outside: [outside], maxAttempts: 3 },
  })
  assert.deepEqual(counts, { total: 2, fixed: 0, blocked: 1, deferred: 0, untried: 1, dismissed: 0 })
  assert.deepEqual(
    leftovers.map(({ id, status, reason }) => [id, status, reason]),
    [
      ['F001', 'untried', ''],
      ['F002', 'blocked', '../x is not in the repository'],
    ],
  )
})

const id = fc.constantFrom(...IDS, 'F004', 'F9', 'constructor')
const event = fc.oneof(
  fc.record({ kind: fc.constant('report' as const), id, outcome: fc.constantFrom(...AttemptOutcome.options) }),
  fc.record({ kind: fc.constantFrom('gone' as const, 'dismissed' as const), id }),
)

test('after every event and for every limit each finding is counted once, what is blocked stays, and no finding has too many attempts [S3-12] [C14]', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...IDS, 'F004'), { maxLength: 4 }),
      fc.integer({ min: 0, max: 10 }),
      fc.array(event, { maxLength: 30 }),
      fc.array(fc.constantFrom('committed' as const, 'dismissed' as const, 'left' as const), {
        minLength: 4,
        maxLength: 4,
      }),
      (ids, limit, events, ends) => {
        let tracker = startTracker(ids, Math.min(Math.max(limit, 1), MAX_ATTEMPTS))
        const check = (before: Tracker): void => {
          const { total, ...counts } = countTracked(tracker)
          assert.equal(total, ids.length)
          assert.equal(
            Object.values(counts).reduce((sum, count) => sum + count, 0),
            total,
          )
          for (const [index, { status, attempts }] of tracker.tracked.entries()) {
            const was = before.tracked[index]
            if (was?.status === 'blocked' || was?.status === 'dismissed') assert.equal(status, was.status)
            assert.ok(attempts.length - (was?.attempts.length ?? 0) <= 1)
            assert.ok(attempts.length <= tracker.maxAttempts)
            if (status === 'deferred') assert.ok(attempts.length < tracker.maxAttempts)
            if (status === 'open') assert.equal(attempts.length, 0)
          }
          assert.equal(listActionable(tracker).length === 0, counts.deferred + counts.untried === 0)
        }
        for (const each of events.slice(0, limit)) {
          const before = tracker
          if (each.kind === 'gone') tracker = block(tracker, each.id, 'gone')
          else if (each.kind === 'dismissed') tracker = dismiss(tracker, each.id, 'no defect')
          else if ('outcome' in each) tracker = record(tracker, each.id, each.outcome)
          check(before)
        }
        const concluded = concludeTracker(tracker, (known) => {
          const kind = ends[ids.indexOf(known as (typeof ids)[number])] ?? 'left'
          return kind === 'left' ? { kind, reason: 'the session ended' } : { kind }
        })
        const { total, ...counts } = countTracked(concluded)
        assert.equal(
          Object.values(counts).reduce((sum, count) => sum + count, 0),
          total,
        )
        assert.equal(counts.fixed, ids.filter((_, index) => ends[index] === 'committed').length)
        const left = concluded.tracked.filter((each) => toLeftover(each, finding) !== undefined)
        assert.equal(left.length, total - counts.fixed - counts.dismissed)
      },
    ),
    { numRuns: 500 },
  )
})
