// kill -9 of the worker at some moments of a review with fixes, and of votes. At twenty moments of each: test/slow.
import { test } from 'node:test'
import { killAtMoments } from '../support/kill-reviews.ts'

test('review-fix comes to the same whenever its worker is killed, and pays no finished call twice', {
  timeout: 480_000,
}, async (t) => {
  await killAtMoments(t, 'review-fix', 2)
})

test('review-pr comes to the same whenever its worker is killed, and pays no finished call twice', {
  timeout: 480_000,
}, async (t) => {
  await killAtMoments(t, 'review-pr', 2)
})
