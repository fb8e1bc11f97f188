// kill -9 of the worker after every single event of a session's history: the thorough run of what test/e2e/kill.test.ts samples.
import { describe, test } from 'node:test'
import { killAfterEvents } from '../support/killing.ts'

describe('kill -9 of the worker after every event of a history changes nothing', { concurrency: 2 }, () => {
  for (const first of [1, 2]) {
    test(`from event ${first} on, every second one`, async (t) => await killAfterEvents(t, { first, step: 2 }))
  }
})

test('kill -9 of the worker after every fourth event of a session with three lanes changes nothing', async (t) =>
  await killAfterEvents(t, { first: 1, step: 4, lanes: 3 }))
