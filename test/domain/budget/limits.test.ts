import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Budgets,
  computeRemainingBudget,
  findReachedIssueLimit,
  findReachedIssueLimits,
  findReachedSessionLimit,
} from '../../../src/domain/budget/limits.ts'
import {
  calculateIssueSpending,
  calculateSpending,
  formatCost,
  formatDollars,
  formatTokens,
  type MeteredCall,
} from '../../../src/domain/budget/spending.ts'

const NONE: Budgets = {
  session_usd: null,
  session_tokens: null,
  session_seconds: null,
  issue_usd: null,
  issue_tokens: null,
}
const CODES = ['A', 'B', 'C', 'D']
const Tokens = fc.record({ input: fc.nat(1e6), cached: fc.nat(1e3), output: fc.nat(1e5) })
const RandomCall: fc.Arbitrary<MeteredCall> = fc.record(
  {
    key: fc.constantFrom('one', 'two'),
    state: fc.constantFrom('started' as const, 'finished' as const, 'lost' as const),
    codes: fc.subarray(CODES, { minLength: 1 }),
    cost_usd: fc.double({ min: 0, max: 10, noNaN: true }),
    cost_partial: fc.constant(true as const),
    tokens: Tokens,
  },
  { requiredKeys: ['key', 'state', 'codes'] },
)
const Limit = fc.option(fc.integer({ min: 1, max: 1e6 }))
const RandomBudgets: fc.Arbitrary<Budgets> = fc.record({
  session_usd: Limit,
  session_tokens: Limit,
  session_seconds: fc.constant(null),
  issue_usd: Limit,
  issue_tokens: Limit,
})

test('what the issues have spent adds up to what the session has, and a gap of one is a gap of both', () => {
  fc.assert(
    fc.property(fc.array(RandomCall), (calls) => {
      const whole = calculateSpending(calls)
      const shares = CODES.map((code) => calculateIssueSpending(calls, code))
      const sum = (of: (spent: typeof whole) => number) => shares.reduce((total, each) => total + of(each), 0)
      assert.ok(Math.abs(sum(({ cost_usd }) => cost_usd) - whole.cost_usd) < 1e-6)
      assert.ok(Math.abs(sum(({ tokens }) => tokens) - whole.tokens) < 1e-3)
      assert.equal(
        shares.some(({ cost_partial }) => cost_partial === true),
        whole.cost_partial === true,
      )
      assert.ok(whole.cost_usd >= 0 && whole.tokens >= 0)
    }),
  )
})

test('what is left is never negative, and one more call never leaves more', () => {
  fc.assert(
    fc.property(fc.array(RandomCall), RandomCall, RandomBudgets, fc.subarray(CODES), (calls, next, budgets, codes) => {
      const left = computeRemainingBudget(budgets, calls, codes)
      const after = computeRemainingBudget(budgets, [...calls, next], codes)
      for (const name of ['usd', 'tokens'] as const) {
        const [before = Number.POSITIVE_INFINITY, now = Number.POSITIVE_INFINITY] = [left[name], after[name]]
        assert.ok(before >= 0 && now >= 0 && now <= before + 1e-9)
      }
    }),
  )
})

test('a call that spends just what is left reaches a limit, and one that spends less reaches none', () => {
  fc.assert(
    fc.property(RandomBudgets, fc.subarray(CODES, { minLength: 1 }), (budgets, codes) => {
      const left = computeRemainingBudget(budgets, [], codes)
      const spending = (part: number): MeteredCall => ({
        key: 'one',
        state: 'finished',
        codes,
        cost_usd: (left.usd ?? 0) * part,
        tokens: { input: (left.tokens ?? 0) * part },
      })
      const reaches = (call: MeteredCall) =>
        findReachedSessionLimit(budgets, [call]) !== undefined ||
        findReachedIssueLimits(budgets, [call], codes).size > 0
      if (left.usd !== undefined || left.tokens !== undefined) assert.ok(reaches(spending(1 + 1e-9)))
      assert.ok(!reaches(spending(0.9)))
    }),
  )
})

test('a call of several issues may spend so much that none of them passes its own limit by its share', () => {
  const budgets = { ...NONE, issue_usd: 1, session_usd: 5 }
  const calls: MeteredCall[] = [
    { key: 'one', state: 'finished', codes: ['A'], cost_usd: 0.75, tokens: { input: 10, output: 0 } },
  ]
  assert.equal(computeRemainingBudget(budgets, calls, ['A', 'B']).usd, 0.5)
  assert.equal(computeRemainingBudget(budgets, calls, ['B']).usd, 1)
  assert.equal(computeRemainingBudget(budgets, calls).usd, 4.25)
  assert.deepEqual(computeRemainingBudget(NONE, calls, ['A']), { usd: undefined, tokens: undefined })
})

test('a limit that is reached says which, with the numbers, and what can be done', () => {
  const calls: MeteredCall[] = [
    { key: 'one', state: 'finished', codes: ['A', 'B'], cost_usd: 2.04, tokens: { input: 50_000, output: 2_000 } },
    { key: 'one', state: 'finished', codes: ['A'], tokens: { input: 3_000, output: 0 } },
  ]
  const session = findReachedSessionLimit({ ...NONE, session_usd: 2 }, calls)
  assert.equal(session?.limit, 'session_usd')
  assert.match(
    session?.detail ?? '',
    /^the session has spent 2\.04 \+ \? of 2\.00 USD \(budgets\.session_usd\).*same command again/,
  )
  const tokens = findReachedSessionLimit({ ...NONE, session_tokens: 55_000 }, calls)
  assert.match(tokens?.detail ?? '', /55,000 of 55,000 tokens/)
  assert.match(
    findReachedIssueLimit({ ...NONE, issue_usd: 1 }, calls, 'B')?.detail ?? '',
    /^B has spent 1\.02 of 1\.00 USD/,
  )
  assert.equal(findReachedIssueLimit({ ...NONE, issue_tokens: 27_000 }, calls, 'B'), undefined)
  assert.deepEqual([...findReachedIssueLimits({ ...NONE, issue_tokens: 27_000 }, calls, ['A', 'B']).keys()], ['A'])
})

test('a cost that is not known is shown as such, never as nothing', () => {
  assert.equal(formatDollars({ cost_usd: 1.2 }), '1.20 USD')
  assert.equal(formatDollars({ cost_usd: 1.2 }, 5), '1.20 of 5.00 USD')
  assert.equal(formatDollars({ cost_usd: 1.2, cost_partial: true }, 5), '1.20 + ? of 5.00 USD')
  assert.equal(formatDollars({ cost_usd: 0, cost_partial: true }), '? USD')
  assert.equal(formatDollars({ cost_usd: 0 }), '0.00 USD')
  assert.equal(formatTokens(1_234_567, 2_000_000), '1,234,567 of 2,000,000 tokens')
  assert.equal(
    formatCost({ cost_usd: 0.5, tokens: 10 }, { session_usd: 1, session_tokens: null }),
    '0.50 of 1.00 USD, 10 tokens',
  )
  const lost: MeteredCall = { key: 'one', state: 'lost', codes: ['A'], tokens: { input: 7, output: 1 } }
  assert.deepEqual(calculateSpending([lost]), { cost_usd: 0, cost_partial: true, tokens: 8 })
  assert.deepEqual(calculateSpending([{ ...lost, state: 'started' }]), { cost_usd: 0, tokens: 8 })
})

test('calls of several lanes together spend no more than the session’s limit, however they overlap', () => {
  const Turn = fc.record({ lane: fc.nat(7), part: fc.double({ min: 0, max: 1, noNaN: true }) })
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 8 }), fc.array(Turn, { maxLength: 100 }), (lanes, turns) => {
      const budgets = { ...NONE, session_usd: 10 }
      const calls: MeteredCall[] = []
      const running = new Map<number, number>()
      const listRunning = () => new Map([...running].map(([lane, usd]) => [`s${lane}`, { usd }]))
      const end = (lane: number, part: number) => {
        calls.push({ key: 'one', state: 'finished', codes: ['A'], cost_usd: (running.get(lane) ?? 0) * part })
        running.delete(lane)
      }
      for (const { lane, part } of turns.filter((turn) => turn.lane < lanes)) {
        if (running.has(lane)) end(lane, part)
        else if (!findReachedSessionLimit(budgets, calls))
          running.set(lane, computeRemainingBudget(budgets, calls, [], { lanes, reserved: listRunning() }).usd ?? 0)
      }
      for (const lane of running.keys()) end(lane, 1)
      assert.ok(calculateSpending(calls).cost_usd < budgets.session_usd + 1e-9)
    }),
  )
})
