import { test } from 'node:test'
import { killForgeWork, killWholeVotes } from '../support/kill-forge.ts'

test('kill -9 while GitHub takes and loses what is posted: each thing is there once', { timeout: 600_000 }, (t) =>
  killForgeWork(t, { rounds: 1, seed: 17 }),
)

test('kill -9 in the midst of review-pr --post: one verdict, one comment, one review', { timeout: 600_000 }, (t) =>
  killWholeVotes(t, { rounds: 1, seed: 19 }),
)
