// What an order from outside may set: it makes things tighter, and never looser than the operator of the worker has them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { loadSettings, SettingsError } from '../../../src/runtime/settings/merge-settings.ts'
import { listSettingPaths } from '../../../src/runtime/settings/schema-introspection.ts'

type Flags = Readonly<Record<string, unknown>>

/** `flags` are the operator's. */
function load(order: Flags, flags: Flags = {}): Settings {
  return loadSettings({ home: { settingsFile: '/nowhere/settings.yaml' }, env: {}, flags, order }).settings
}

function refusal(order: Flags, flags: Flags = {}): string {
  try {
    load(order, flags)
    return ''
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.problems.join('\n')
  }
}

test('an order: what makes a session tighter, or asks people more, counts', () => {
  const order = {
    profile: 'one-call',
    max_iterations: 1,
    'people.clarify': true,
    'people.approve_plan': 'true',
    'budgets.session_usd': 2,
    'scope.workspace_path': 'packages/web',
    'git.branch_prefix': 'bot/',
  }
  const { profile, max_iterations, people, budgets, scope, git } = load(order, { 'budgets.session_usd': 5 })
  assert.deepEqual([profile, max_iterations, people.clarify, people.approve_plan], ['one-call', 1, true, true])
  assert.deepEqual([budgets.session_usd, scope.workspace_path, git.branch_prefix], [2, 'packages/web', 'bot/'])
})

test('an order: what is looser than the operator has it is refused, with what holds', () => {
  const strict = {
    'people.approve_plan': true,
    'budgets.session_usd': 5,
    'scope.workspace_path': 'packages/web',
    max_iterations: 1,
  }
  assert.match(
    refusal({ max_iterations: 2 }, strict),
    /^the order: max_iterations: .* the operator of the worker has 1$/,
  )
  assert.match(refusal({ 'people.approve_plan': false }, strict), /may not keep people from being asked/)
  for (const budget of [6, null]) assert.match(refusal({ 'budgets.session_usd': budget }, strict), /may not spend more/)
  for (const folder of ['packages', 'packages/website', null]) {
    assert.match(refusal({ 'scope.workspace_path': folder }, strict), /may not leave the folder that holds/)
  }
  assert.equal(refusal({ 'scope.workspace_path': 'packages/web/src', ...strictly(strict) }, strict), '')
  assert.match(refusal({ profile: 'verify' }), /may not set more than holds/, 'a profile without a challenger')
})

/** Saying what holds already is no harm. */
function strictly({ 'scope.workspace_path': _, ...more }: Flags): Flags {
  return more
}

test('an order: everything else is the operator’s, by name', () => {
  const may =
    /^(profile|max_iterations|limits\..*|git\.branch_prefix|people\.(clarify|approve_plan|four_eyes|wait_for_start)|budgets\..*|scope\.workspace_path)$/
  const other = listSettingPaths(['batched']).filter((path) => !may.test(path))
  assert.ok(other.length > 40)
  for (const path of other) {
    const own = path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], load({}))
    const value =
      typeof own === 'boolean' ? !own : typeof own === 'number' ? own + 1 : Array.isArray(own) ? ['x'] : 'off'
    const problem = refusal({ [path]: value })
    assert.match(problem, new RegExp(`the order: ${path.replaceAll('.', '\\.')}`), path)
  }
  assert.match(
    refusal({ 'verification.commands': ['sh'] }),
    /may not set this, only profile, .*: the operator of the worker sets it/,
  )
  assert.match(refusal({ 'profiles.mine.challenge': false }), /profiles\.mine\.challenge: an order may not set this/)
})

test('an order: a name that no setting has, a group and a flag’s short name are told as such', () => {
  assert.match(refusal({ 'people.clarfy': true }), /there is no setting people\.clarfy; did you mean people\.clarify\?/)
  assert.match(refusal({ people: { clarify: true } }), /the order: people is a group of settings/)
  assert.match(refusal({ '--max-cost': 5 }), /there is no setting --max-cost: "fixwright config" lists them$/)
  assert.match(
    refusal({ 'people.clarify': 'perhaps' }),
    /the order: people\.clarify is "perhaps", must be true or false/,
  )
})
