import { test } from 'node:test'
import { killForgeWork } from '../support/kill-forge.ts'

test('kill -9 while GitHub takes and loses what is posted: each thing is there once', { timeout: 600_000 }, (t) =>
  killForgeWork(t, { rounds: 1, seed: 17 }),
)
