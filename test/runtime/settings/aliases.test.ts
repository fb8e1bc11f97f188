import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings, SettingsError, type SettingsSources } from '../../../src/runtime/settings/merge-settings.ts'
import { parseYamlLayer } from '../../../src/runtime/settings/settings-sources.ts'

function load(sources: Partial<SettingsSources>) {
  return loadSettings({ home: { settingsFile: '/nowhere/settings.yaml' }, env: {}, ...sources })
}

function problemsOf(sources: Partial<SettingsSources>): readonly string[] {
  try {
    load(sources)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.problems
  }
  return assert.fail('these settings should have been refused')
}

test('aliases: the configuration of the documents works as it stands [S0-14, S1-7]', () => {
  const text = `fix_challenger:
  enabled: true
  max_iterations: 3
  satisfaction_threshold: 95.0
  model: gemini-2.5-pro
  thinking_budget: 10000
`
  const { entries, problems } = parseYamlLayer(text, 'settings.yaml')
  assert.deepEqual(problems, [])
  assert.deepEqual(
    entries.map(({ keys, value, origin }) => [keys.join('.'), value, origin]),
    [
      ['fix_challenger.enabled', true, 'settings.yaml:2'],
      ['max_iterations', 3, 'settings.yaml:3 (fix_challenger.max_iterations)'],
      ['fix_challenger.satisfaction_threshold', 95, 'settings.yaml:4'],
      ['gemini.models', ['gemini-2.5-pro'], 'settings.yaml:5 (fix_challenger.model)'],
      ['gemini.thinking_budget', 10_000, 'settings.yaml:6 (fix_challenger.thinking_budget)'],
    ],
  )
})

test('aliases: a variable and --set take them too, and the stronger source holds under either name', () => {
  const env = { FIXWRIGHT_FIX_CHALLENGER_MODEL: 'gemini-2.5-pro', FIXWRIGHT_FIX_CHALLENGER_MAX_ITERATIONS: '4' }
  const { settings, origins } = load({ env, flags: { max_iterations: '5' } })
  assert.deepEqual(settings.gemini.models, ['gemini-2.5-pro'])
  assert.equal(origins['gemini.models'], 'FIXWRIGHT_FIX_CHALLENGER_MODEL (fix_challenger.model)')
  assert.equal(settings.max_iterations, 5)
  assert.equal(load({ flags: { 'fix_challenger.max_iterations': '1' } }).settings.max_iterations, 1)
})

test('aliases: two names that disagree in one source are refused with both places', () => {
  const text = 'max_iterations: 2\nfix_challenger:\n  max_iterations: 3\n'
  assert.deepEqual(parseYamlLayer(text, 'settings.yaml').problems, [
    'max_iterations is said twice, under two names: settings.yaml:1 says 2, ' +
      'settings.yaml:3 (fix_challenger.max_iterations) says 3: leave out one of them',
  ])
  assert.deepEqual(parseYamlLayer(text.replace('3', '2'), 'settings.yaml').problems, [])
  const env = { FIXWRIGHT_GEMINI_MODELS: 'a,b', FIXWRIGHT_FIX_CHALLENGER_MODEL: 'a' }
  assert.match(problemsOf({ env })[0] ?? '', /^gemini\.models is said twice, .*\["a","b"\].*\["a"\]/)
  const flags = { '--max-iterations': '1', 'fix_challenger.max_iterations': '1' }
  assert.match(problemsOf({ flags })[0] ?? '', /--max-iterations and --set fix_challenger.* are the same setting/)
})

test('aliases: a value is checked like the setting, and the message has the name that was typed', () => {
  assert.deepEqual(problemsOf({ env: { FIXWRIGHT_FIX_CHALLENGER_MAX_ITERATIONS: '11' } }), [
    'FIXWRIGHT_FIX_CHALLENGER_MAX_ITERATIONS: fix_challenger.max_iterations is 11, must be a whole number from 0 to 10, or null',
  ])
  assert.deepEqual(problemsOf({ flags: { 'fix_challenger.model': '' } }), [
    'command line: fix_challenger.model is "", must be a text that is not empty',
  ])
  assert.match(
    problemsOf({ flags: { 'fix_challenger.max_iteration': '1' } })[0] ?? '',
    /did you mean fix_challenger\.max_iterations\?/,
  )
})

test('aliases: a repository may say no more under an alias than under the name', () => {
  const yaml = (text: string) => ({ repositoryYaml: { text, label: '.fixwright.yaml', isTrusted: true } })
  const [problem = ''] = problemsOf(yaml('fix_challenger:\n  model: mine\n'))
  assert.match(problem, /yaml:2 \(fix_challenger\.model\): gemini\.models: a repository may not set this/)
  assert.equal(load(yaml('fix_challenger:\n  max_iterations: 1\n')).settings.max_iterations, 1)
})
