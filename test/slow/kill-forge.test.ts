import { test } from 'node:test'
import { killForgeWork } from '../support/kill-forge.ts'

const seed = Number(process.env.FIXWRIGHT_TEST_SEED ?? Date.now() % 100_000)

test(
  'kill -9 at twenty random moments of each command, with the faults of GitHub: each thing is there once',
  {
    timeout: 1_700_000,
  },
  (t) => killForgeWork(t, { rounds: 20, seed }),
)
