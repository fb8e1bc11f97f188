import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyApiError, type RetryNotice, watchRetries } from '../../../src/agents/provider/classify-api-error.ts'

const now = Date.parse('2026-07-24T12:00:00Z')

const said: readonly (readonly [status: number | undefined, text: string, expected: string])[] = [
  [400, 'Credit balance is too low', 'billing'],
  [402, 'Payment required', 'billing'],
  [429, 'Your prepayment credits are depleted.', 'billing'],
  [403, 'BILLING_DISABLED', 'billing'],
  [429, 'You exceeded your current quota, please check your plan and billing details.', 'limit rate_limit'],
  [429, 'You have exhausted your daily quota on this model.', 'limit usage_limit'],
  [undefined, "You've hit your session limit · resets 3pm (UTC)", 'limit usage_limit'],
  [undefined, '5-hour limit reached ∙ resets 3pm', 'limit usage_limit'],
  [529, 'Overloaded', 'limit overloaded'],
  [503, 'The model is overloaded. Please try again later.', 'limit overloaded'],
  [500, 'Internal server error', 'limit overloaded'],
  [401, 'Invalid API key · Fix external API key', 'access'],
  [undefined, 'Not logged in · Please run /login', 'access'],
  [undefined, 'API key not valid. Please pass a valid API key.', 'access'],
  [undefined, 'OAuth token has expired. Please obtain a new token', 'access'],
  [404, 'anything', 'access'],
  [undefined, 'models/x is not found for API version v1beta', 'access'],
  [undefined, 'API Error: Unable to connect to API (ECONNREFUSED)', 'infrastructure'],
  [undefined, 'fetch failed', 'infrastructure'],
  [undefined, 'the tests failed', 'unknown'],
]

for (const [status, text, expected] of said) {
  test(`${status ?? 'no status'} and "${text}" is ${expected}`, () => {
    const failure = classifyApiError(status, text, now)?.failure
    const reason = failure && 'reason' in failure ? ` ${failure.reason}` : ''
    assert.equal(failure ? `${failure.class}${reason}` : 'unknown', expected)
  })
}

test('with another model at hand one quick second try is all; without one it is half a minute', () => {
  const givesUpAfter = (hasNextModel: boolean): number => {
    let clock = 0
    const watch = watchRetries({ hasNextModel, now: () => clock })
    for (let delayMs = 500; ; delayMs *= 2) {
      if (watch.recordRetry({ status: 529, delayMs, detail: 'overloaded' })) return clock
      clock += delayMs
    }
  }
  assert.equal(givesUpAfter(true), 500)
  assert.equal(givesUpAfter(false), 15_500)
})

test('an answer in between wipes the slate clean', () => {
  let clock = 0
  const watch = watchRetries({ hasNextModel: false, now: () => clock })
  const refusal: RetryNotice = { status: 529, delayMs: 1_000, detail: 'overloaded' }
  watch.recordRetry(refusal)
  clock = 29_500
  watch.recordProgress()
  assert.equal(watch.currentError(), undefined)
  assert.equal(watch.recordRetry(refusal), false)
})

test('a wait longer than any backoff of a CLI was named by the provider, and is passed on', () => {
  const watch = watchRetries({ hasNextModel: false, now: () => now })
  assert.equal(watch.recordRetry({ status: 429, delayMs: 300_000, detail: 'rate limited' }), true)
  const failure = watch.currentError()?.failure
  assert.ok(failure?.class === 'limit' && failure.until === now + 300_000)
})
