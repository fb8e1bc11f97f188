import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeoutsFromSettings } from '../../../src/activities/open/timeouts.ts'
import { DEFAULTS } from '../support.ts'

test('an activity has the timeout of its CLI for each call that it may make, and nothing else sets it [S2-27]', () => {
  const { claude, gemini, git, worker } = DEFAULTS
  const settings = {
    ...DEFAULTS,
    claude: { ...claude, timeout_seconds: 700, small_timeout_seconds: 50 },
    gemini: { ...gemini, timeout_seconds: 90 },
    worker: { ...worker, grace_seconds: 33 },
  }
  const { fixSeconds, talkSeconds, challengeSeconds, commitSeconds, graceSeconds } = timeoutsFromSettings(settings)
  assert.deepEqual(
    { fixSeconds, talkSeconds, challengeSeconds, commitSeconds, graceSeconds },
    { fixSeconds: 1400, talkSeconds: 2100, challengeSeconds: 270, commitSeconds: 120, graceSeconds: 33 },
  )
  const naming = { ...settings, git: { ...git, naming: 'agent' as const } }
  assert.equal(timeoutsFromSettings(naming).commitSeconds, 170, 'who words a commit is asked within it')
})
