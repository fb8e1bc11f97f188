// Settings of a session that an earlier version started: complete, and otherwise as they were.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { completeSettings } from '../../../src/domain/settings/complete-stored.ts'
import { effectivePlanner, getProfile, isChallenged, isStrict, Settings } from '../../../src/domain/settings/schema.ts'
import { loadDefaultSettings } from '../../../src/runtime/settings/effective-settings.ts'
import { listSettingPaths } from '../../../src/runtime/settings/schema-introspection.ts'

const DEFAULTS = loadDefaultSettings()

/** As the first version stored them. */
function old(): Record<string, unknown> {
  const { profiles, ...stored } = without(
    DEFAULTS,
    'people',
    'planner',
    'limits.max_workload_points_per_one_call',
    'claude.max_session_tokens',
    'scope.workspace_path',
    'scope.allowed_extra_paths',
    'verification.setup',
    'verification.setup_timeout_seconds',
    'verification.fresh_checkout',
    'verification.base_max_age_seconds',
    'verification.reports',
  )
  const { batched, sequential } = without(
    profiles,
    'batched.calls',
    'batched.planner',
    'batched.challenge',
    'batched.strict',
    'sequential.calls',
    'sequential.planner',
    'sequential.challenge',
    'sequential.strict',
  )
  return {
    ...stored,
    profiles: { batched: { ...batched, max_iterations: 4 }, thorough: sequential },
    limits: { ...stored.limits, default_effort: 1 },
    claude: { ...stored.claude, models: ['sonnet'] },
    scope: { ...stored.scope, protected: [] },
    fix_challenger: { ...stored.fix_challenger, enabled: true },
    verification: { ...stored.verification, strict: false },
  }
}

type Maps = Record<string, Record<string, unknown>>

function without(whole: object | undefined, ...paths: readonly string[]): Maps {
  const copy = structuredClone(whole) as Maps
  for (const path of paths) {
    const [name = '', key] = path.split('.')
    if (key === undefined) delete copy[name]
    else delete copy[name]?.[key]
  }
  return copy
}

test('an older session keeps its settings, and what was added since is such that nothing changes for it', () => {
  const settings = completeSettings(old(), DEFAULTS)
  assert.deepEqual(Settings.parse(settings), settings)
  assert.deepEqual(settings.people, DEFAULTS.people)
  assert.deepEqual([settings.people.clarify, settings.people.approve_plan, settings.planner], [false, false, null])
  assert.equal(settings.limits.default_effort, 1)
  assert.equal(settings.limits.max_workload_points_per_one_call, 90)
  assert.equal(settings.claude.max_session_tokens, 150_000)
  assert.equal(settings.scope.workspace_path, null)
  assert.equal(getProfile(settings).max_iterations, 4)
  assert.equal(effectivePlanner(settings), 'rules')
  assert.deepEqual([isChallenged(settings), isStrict(settings)], [true, false])
})

test('lists are replaced and not mixed, also by an empty one', () => {
  const settings = completeSettings(old(), DEFAULTS)
  assert.deepEqual(settings.claude.models, ['sonnet'])
  assert.deepEqual(settings.scope.protected, [])
})

test('a profile of the person’s own, stored without what was added since, is batched and goes by the rules', () => {
  const settings = completeSettings({ ...old(), profile: 'thorough' }, DEFAULTS)
  assert.deepEqual(getProfile(settings), {
    stage: 'session',
    max_iterations: 3,
    whole_diff_score: true,
    calls: 'batched',
    planner: 'rules',
    challenge: true,
    strict: false,
  })
})

test('what is complete already stays as it is, and nothing stored means the defaults', () => {
  const own = { ...DEFAULTS, profile: 'one-call', max_iterations: 7, planner: 'rules' as const }
  assert.deepEqual(completeSettings(own, DEFAULTS), own)
  assert.deepEqual(completeSettings(completeSettings(old(), DEFAULTS), DEFAULTS), completeSettings(old(), DEFAULTS))
  assert.deepEqual(completeSettings({}, DEFAULTS), DEFAULTS)
})

test('whatever is left out of stored settings, they come out whole', () => {
  const paths = listSettingPaths([]).filter((path) => path.includes('.'))
  fc.assert(
    fc.property(fc.subarray(paths), (left) => {
      assert.deepEqual(completeSettings(without(DEFAULTS, ...left), DEFAULTS), DEFAULTS)
    }),
  )
})
