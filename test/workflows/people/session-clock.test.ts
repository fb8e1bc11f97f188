// The clock of a session whose lanes wait for people at the same time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSessionClock } from '../../../src/workflows/people/session-clock.ts'

test('a session clock stands still while any lane waits for a person, and once for waits at the same time', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  const clock = createSessionClock(() => 1000, 5)
  const ends = (at: number): number | undefined => {
    t.mock.timers.setTime(at)
    return clock.endsAt()
  }
  assert.equal(ends(10), 1005)
  const first = clock.stop()
  // Another lane works on meanwhile: its calls get the time that the wait has taken so far.
  assert.equal(ends(30), 1025)
  const second = clock.stop()
  t.mock.timers.setTime(50)
  first()
  first()
  assert.equal(ends(60), 1055)
  second()
  assert.deepEqual([ends(100), clock.waitedMs()], [1055, 55])
  assert.equal(createSessionClock(() => undefined).endsAt(), undefined)
})
