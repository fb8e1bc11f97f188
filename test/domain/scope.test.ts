import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { checkScope, type ScopedChange } from '../../src/domain/scope.ts'
import { Settings } from '../../src/domain/settings.ts'

const settings = Settings.parse(parse(readFileSync(new URL('../../config/settings.yaml', import.meta.url), 'utf8')))

function violations(...changes: ScopedChange[]): readonly string[] {
  const owners = Object.fromEntries(
    changes.flatMap(({ path, from }) => [path, from ?? path]).map((path) => [path, ['A']]),
  )
  return checkScope(changes, owners, [{ code: 'A', file: 'package-lock.json' }], settings.scope.protected).violations
}

describe('protected paths', () => {
  const cases = [
    'CLAUDE.md',
    'Claude.MD',
    'docs/.hidden/AGENTS.md',
    '.github/workflows/.deploy.yml',
    '.GitHub/workflows/x.yml',
    'web/.claude/.settings.json',
    '.lefthook.yml',
    'lefthook.yml',
    'a/.env.production',
    'a/yarn.lock',
    'nested/.git/config',
  ]
  for (const path of cases) {
    test(`${path} may not be touched`, () => assert.equal(violations({ path }).length, 1))
  }

  test('a name that only looks like a protected one may be', () => {
    assert.deepEqual(violations({ path: 'src/environment.ts' }, { path: 'docs/git/config' }, { path: 'ci/run' }), [])
  })

  test('what an issue is about may be changed by its fix, by no other', () => {
    const changes = [{ path: 'package-lock.json' }]
    const issues = [{ code: 'A', file: 'package-lock.json' }]
    assert.deepEqual(
      checkScope(changes, { 'package-lock.json': ['A'] }, issues, settings.scope.protected).violations,
      [],
    )
    assert.deepEqual(checkScope(changes, { 'package-lock.json': ['B'] }, issues, settings.scope.protected), {
      violations: ['package-lock.json (protected)'],
      outOfScope: ['B'],
    })
  })

  test('a rename out of a protected path, or into one, counts', () => {
    assert.equal(violations({ path: 'notes.md', from: 'CLAUDE.md' }).length, 1)
    assert.equal(violations({ path: '.husky/pre-commit', from: 'notes.md' }).length, 1)
  })
})

describe('links and submodules', () => {
  for (const symlink of ['/etc/passwd', '../../x', 'C:\\x', '..\\x', 'a/../../x', '../.git/hooks', '../.GIT/config']) {
    test(`a link to ${symlink} leaves the tree`, () => {
      assert.equal(violations({ path: 'docs/link', symlink }).length, 1)
    })
  }
  for (const symlink of ['..', '../src/x', './x', 'x/y']) {
    test(`a link to ${symlink} stays inside`, () => {
      assert.deepEqual(violations({ path: 'docs/link', symlink }), [])
    })
  }

  test('a submodule is none of an issue’s business', () => {
    assert.deepEqual(violations({ path: 'vendor/x', submodule: true }), ['vendor/x (a submodule)'])
  })
})

test('a change that was undone is no violation, whatever its name', () => {
  for (const path of ['CLAUDE.md', 'constructor', '__proto__']) {
    assert.deepEqual(checkScope([{ path }], {}, [], ['**']), { violations: [], outOfScope: [] })
  }
})
