import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VerificationRun } from '../../../src/domain/verification/gate-record.ts'
import {
  listChangedTests,
  listCommandWords,
  listOldTestFailures,
  listUnprovenCommands,
  runsTestsAsBefore,
} from '../../../src/domain/verification/old-tests.ts'

const TESTERS = {
  isTest: (path: string) => path.startsWith('tests/'),
  isRun: (path: string) => listCommandWords(['sh ./scripts/check.sh --all && FOO=bar make']).has(path),
  harmless: new Set(['web/package.json']),
}

function listAll(...changes: readonly (readonly [kind: string, path: string, from?: string])[]): string[] {
  const { paths, canWeaken } = listChangedTests(
    changes.map(([kind, path, from]) => ({ kind, path, from })),
    TESTERS,
  )
  return canWeaken ? [...paths] : []
}

test('listChangedTests lists changed, deleted and renamed tests with both ends, and what runs them', () => {
  assert.deepEqual(listAll(['modified', 'src/a.ts'], ['modified', 'tests/a.ts']), ['tests/a.ts'])
  assert.deepEqual(listAll(['deleted', 'tests/a.ts']), ['tests/a.ts'])
  assert.deepEqual(listAll(['renamed', 'old/a.txt', 'tests/a.ts']), ['old/a.txt', 'tests/a.ts'])
  for (const path of ['scripts/check.sh', 'Makefile', 'package.json', 'jest.config.js', 'src/__snapshots__/a.snap'])
    assert.deepEqual(listAll(['modified', path]), [path])
})

test('listChangedTests lists nothing where no test can have become milder', () => {
  assert.deepEqual(listAll(['modified', 'src/a.ts'], ['added', 'tests/new.ts']), [])
  assert.deepEqual(listAll(['modified', 'web/package.json'], ['modified', 'docs/tests.md']), [])
})

test('listChangedTests lists what a runner loads by its name alone, and new tests beside changed ones', () => {
  assert.deepEqual(listAll(['added', 'pkg/conftest.py']), ['pkg/conftest.py'])
  assert.deepEqual(listAll(['added', 'tests/new.ts'], ['modified', 'tests/a.ts']), ['tests/new.ts', 'tests/a.ts'])
})

test('runsTestsAsBefore tells a dependency from a script', () => {
  const text = (more: object) => JSON.stringify({ name: 'x', scripts: { test: 'node t' }, ...more })
  assert.ok(runsTestsAsBefore('package.json', text({}), text({ dependencies: { y: '1' } })))
  assert.ok(!runsTestsAsBefore('package.json', text({}), text({ scripts: { test: 'true' } })))
  assert.ok(!runsTestsAsBefore('a/package.json', text({}), 'no JSON'))
  const toml = (addopts: string, version = '1') =>
    `[project]\nversion = "${version}"\n[tool.pytest.ini_options]\naddopts = "${addopts}"\n`
  assert.ok(runsTestsAsBefore('pyproject.toml', toml(''), toml('', '2')))
  assert.ok(!runsTestsAsBefore('pyproject.toml', toml(''), toml('-k none')))
  assert.ok(!runsTestsAsBefore('Makefile', 'a', 'b'))
})

const run = (outcome: string, tests?: VerificationRun['tests']): VerificationRun[] => [
  { command: 'c', outcome, ...(tests ? { tests } : {}) },
]

test('listOldTestFailures names what held on the base and does not any more', () => {
  const [green, red] = ['passed', 'failed: exit status 1']
  assert.deepEqual(listOldTestFailures(run(green), run(green)), [])
  assert.deepEqual(listOldTestFailures(run(red), run(red)), [])
  assert.deepEqual(listOldTestFailures(run(green), run(red)), [{ command: 'c', outcome: red, tests: [] }])
  const before = { a: 'passed', b: 'failed' } as const
  assert.deepEqual(listOldTestFailures(run(red, before), run(red, { a: 'failed', b: 'failed' })), [
    { command: 'c', outcome: red, tests: ['a'] },
  ])
  // No change of a test explains a test that is gone: the tests are as they were.
  assert.deepEqual(listOldTestFailures(run(green, { a: 'passed' }), run(green, {})), [
    { command: 'c', outcome: green, tests: ['a'] },
  ])
})

test('listUnprovenCommands names commands that only the changed tests turn green', () => {
  const [green, red] = ['passed', 'failed: exit status 1']
  assert.deepEqual(listUnprovenCommands(run(red), run(green), run(red)), ['c'])
  assert.deepEqual(listUnprovenCommands(run(red), run(green), run(green)), [])
  assert.deepEqual(listUnprovenCommands(run(green), run(green), run(green)), [])
})
