import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startPolling } from '../../src/app/start-polling.ts'

/** Checks that end only when the test says so. */
function setPoll(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const checks: { end: () => Promise<void>; isStopped: () => boolean }[] = []
  const poll = startPolling(1_000, (isStopped) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = async () => {
      resolve()
      await nextTurn()
    }
    checks.push({ end, isStopped })
    return promise
  })
  t.after(() => poll.stop())
  return { poll, checks, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('startPolling checks at intervals, one at a time', async (t) => {
  const { checks, pass } = setPoll(t)
  assert.equal(checks.length, 0)
  pass(1_000)
  pass(5_000)
  assert.equal(checks.length, 1, 'the first check has not ended')
  await checks[0]?.end()
  pass(1_000)
  assert.equal(checks.length, 2)
})

test('startPolling checks at once on demand, unless a check is under way', async (t) => {
  const { poll, checks } = setPoll(t)
  poll.look()
  poll.look()
  assert.equal(checks.length, 1)
  await checks[0]?.end()
  poll.look()
  assert.equal(checks.length, 2)
})

test('startPolling makes no check after its stop, and the one under way can see the stop', async (t) => {
  const { poll, checks, pass } = setPoll(t)
  poll.look()
  assert.equal(checks[0]?.isStopped(), false)
  poll.stop()
  assert.equal(checks[0]?.isStopped(), true)
  await checks[0]?.end()
  poll.look()
  pass(5_000)
  assert.equal(checks.length, 1)
})
