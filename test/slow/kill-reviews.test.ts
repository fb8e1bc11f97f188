// kill -9 of the worker at twenty random moments of a review with fixes, and of votes.
import { test } from 'node:test'
import { KILLED, killAtMoments } from '../support/kill-reviews.ts'

for (const command of Object.keys(KILLED) as (keyof typeof KILLED)[]) {
  test(`${command} comes to the same at twenty moments of kill -9, and pays no finished call twice`, {
    timeout: 1_800_000,
  }, async (t) => {
    await killAtMoments(t, command, 20)
  })
}
