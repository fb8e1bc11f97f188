// What a report says of the time that setup and checks took.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeCheckTimes, listCheckTimes } from '../../../src/app/report/check-time.ts'
import type { SessionEvent } from '../../../src/domain/session/events/index.ts'
import { logChecksRan } from '../../../src/domain/session/events/logs/sharing-logs.ts'

test('each run of setup and checks is counted by what it was for', () => {
  const ran = (call: string, setup_seconds: number, shared?: true) =>
    logChecksRan({ call, in_fresh_checkout: true, shared, setup_seconds, check_seconds: 2 }) as unknown as SessionEvent
  const events = [
    ran('base', 10),
    ran('s1.i1.verify', 1, true),
    ran('s1.oldtests1', 0),
    ran('s1.select1.verify', 0),
    ran('s1.select2.verify', 0),
  ]
  assert.deepEqual(describeCheckTimes(listCheckTimes(events), 84_000), [
    'the untouched base, or a commit under a stage: 1 run, 1 setup, 12.0 s',
    'a round’s tree: 1 run, 1 with a copy of the setup, 3.0 s',
    'which fixes to leave out: 2 runs, 4.0 s',
    'the tests as they were: 1 run, 2.0 s',
    "setup and checks took 25 % of the session's time",
  ])
  assert.deepEqual(describeCheckTimes([], 1), [])
})
