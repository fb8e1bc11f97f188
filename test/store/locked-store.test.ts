// A store that other processes hold: who waits for it, and for how long.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { explainStoreFailure } from '../../src/store/explain-store-failure.ts'
import { retryWhileLocked } from '../../src/store/sqlite/dialect.ts'

const BUSY = Object.assign(new Error('database is locked'), { errcode: 5, errstr: 'database is locked' })

/** Tries for a lock that is never free, by a clock that goes on by a second each time. Returns after how many seconds it gave up, and why. */
async function tryFor(t: TestContext, readVersion: () => unknown): Promise<[seconds: number, error: unknown]> {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  let seconds = 0
  const refuse = () => {
    seconds += 1
    t.mock.timers.setTime(seconds * 1000)
    throw BUSY
  }
  const error = await retryWhileLocked(refuse, readVersion).catch((thrown: unknown) => thrown)
  return [seconds, error]
}

test('a store in which nobody commits anything is given up after 15 s, with what to do about it', async (t) => {
  const [seconds, error] = await tryFor(t, () => 7)
  assert.equal(seconds, 16)
  const explained = explainStoreFailure(error, '/home/fixwright.db')
  assert.equal(explained?.code, 'store_unusable')
  assert.match(explained?.message ?? '', /another process holds the store \/home\/fixwright\.db .* try again/)
})

test('a store that does not even tell its version is waited for as long', async (t) => {
  const [seconds, error] = await tryFor(t, () => {
    throw BUSY
  })
  assert.deepEqual([seconds, error], [16, BUSY])
})

test('a store in which others commit all the time is waited for, but not for ever', async (t) => {
  let commits = 0
  const [seconds] = await tryFor(t, () => ++commits)
  assert.ok(seconds > 120 && seconds < 140, `${seconds} s`)
})
