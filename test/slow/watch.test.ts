// kill -9 of the worker at twenty random moments of a watch, each beside a fault of GitHub's.
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { killInTurns, setWatchedPull } from '../support/watching.ts'

test('a watch that is killed twenty times gives each issue each status once, and ends with the merge [S0-16]', {
  timeout: 900_000,
}, async (t) => {
  const watched = await setWatchedPull(t, 3)
  await killInTurns(watched, 20)
  await watched.github.edit(1, { merge: 'rebase' })
  await watched.untilAll('merged', 'rebased')
  await watched.hunt.end()
  await watched.endUp()
  await checkInvariants(watched.stage)
})
