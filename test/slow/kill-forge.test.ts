import { test } from 'node:test'
import { killForgeWork, killWholeVotes } from '../support/kill-forge.ts'

const seed = Number(process.env.FIXWRIGHT_TEST_SEED ?? Date.now() % 100_000)

test(
  'kill -9 at twenty random moments of each command, with the faults of GitHub: each thing is there once',
  {
    timeout: 1_700_000,
  },
  (t) => killForgeWork(t, { rounds: 20, seed }),
)

test(
  'kill -9 at twenty random moments of review-pr --post, from reading the pull request to its verdict: each thing is there once [S0-18] [S0-19]',
  {
    timeout: 1_700_000,
  },
  (t) => killWholeVotes(t, { rounds: 20, seed }),
)
