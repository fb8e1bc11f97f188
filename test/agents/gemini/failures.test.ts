// FACTS "How both CLIs misbehave", column gemini: each line with the real CLI against the scripted model.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type FailureRow, failureOf, setStage, testFailures } from '../support.ts'

const impatient = { maxRetryWaitMs: 100 }

const REFUSALS: readonly FailureRow[] = [
  {
    title: 'an empty account is billing, and no rate limit, though the status is the same',
    fault: { kind: 'http', preset: 'out-of-credit' },
    expected: { class: 'billing' },
    said: /credits are depleted/,
    requests: 1,
  },
  {
    title: 'a quota of the day is a usage limit, after one request',
    fault: { kind: 'http', preset: 'daily-quota' },
    expected: { class: 'limit', reason: 'usage_limit' },
    requests: 1,
  },
  {
    title: 'a rate limit is told at the first refusal, and is a limit',
    fault: { kind: 'http', preset: 'rate-limit' },
    expected: { class: 'limit', reason: 'rate_limit' },
    more: impatient,
    requests: 1,
  },
  {
    title: 'an overloaded provider is a limit',
    fault: { kind: 'http', preset: 'overloaded' },
    expected: { class: 'limit', reason: 'overloaded' },
    more: impatient,
    requests: 1,
  },
  {
    title: 'a key that is not valid is access (a status 400)',
    fault: { kind: 'http', preset: 'unauthorized' },
    expected: { class: 'access', credentials: true },
    said: /^API key not valid/,
    requests: 1,
  },
  {
    title: 'a key that may not is access',
    fault: { kind: 'http', preset: 'forbidden' },
    expected: { class: 'access', credentials: true },
    said: /^Permission denied/,
    requests: 1,
  },
  {
    title: 'nobody signed in is access (status 41)',
    fault: { kind: 'hang' },
    expected: { class: 'access', credentials: true },
    environment: { GEMINI_API_KEY: '' },
    requests: 0,
  },
  {
    title: 'a model that nobody knows is access',
    fault: { kind: 'http', preset: 'model-not-found' },
    expected: { class: 'access' },
    requests: 1,
  },
  {
    title: 'a prompt that is too long is no usable work',
    fault: { kind: 'http', preset: 'prompt-too-long' },
    expected: { class: 'no_usable_work', reason: 'crash' },
    said: /token count/,
    requests: 1,
  },
  {
    title: 'no answer at all is a time-out at the deadline (the CLI takes 842 s to give up)',
    fault: { kind: 'hang' },
    expected: { class: 'no_usable_work', reason: 'timeout' },
    more: { deadlineMs: 4_000 },
  },
  {
    title: 'a stream that stops is a time-out at the deadline',
    fault: { kind: 'stall' },
    expected: { class: 'no_usable_work', reason: 'timeout' },
    more: { deadlineMs: 4_000 },
  },
  {
    title: 'a stream that is cut is infrastructure',
    fault: { kind: 'cut' },
    expected: { class: 'infrastructure' },
    requests: 1,
  },
  {
    title: 'a deadline that hits while it is asking again is a limit, not a time-out',
    fault: { kind: 'http', preset: 'overloaded' },
    expected: { class: 'limit', reason: 'overloaded' },
    more: { deadlineMs: 13_000 },
  },
  {
    title: 'an answer that is empty each time is empty, though its status is 0',
    fault: { kind: 'text', preset: 'empty' },
    expected: { class: 'no_usable_work', reason: 'empty' },
    said: /empty response/,
  },
]

describe('gemini: what refuses or spoils a call has its class', { concurrency: 2 }, () => {
  testFailures('gemini', REFUSALS)

  test('a provider that names the time is believed', async (t) => {
    const { call } = await setStage(t, {
      faults: [{ match: {}, fault: { kind: 'http', preset: 'rate-limit', retryAfterSeconds: 200 } }],
    })
    const failure = failureOf(await call('gemini'))
    assert.ok(failure.class === 'limit' && Math.abs(failure.until! - Date.now() - 200_000) < 20_000)
  })
})
