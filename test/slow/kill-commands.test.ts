import { test } from 'node:test'
import { killCommands } from '../support/kill-commands.ts'

const seed = Number(process.env.FIXWRIGHT_TEST_SEED ?? Date.now() % 100_000)

test(
  'kill -9 at twenty random moments of /fix, and of /answer and /skip, with the faults of GitHub: each is done once',
  {
    timeout: 1_700_000,
  },
  (t) => killCommands(t, { rounds: 20, seed }),
)
