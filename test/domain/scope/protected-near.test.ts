// Which protected files are named to a fixer: those it may come across, the nearest first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listProtectedNear } from '../../../src/domain/scope/protected-near.ts'

const scope = {
  protected: ['**/.env', '.github/workflows/**', '**/CLAUDE.md'],
  protected_unless_about: ['**/package-lock.json'],
}
const paths = [
  '.env',
  '.github/workflows/ci.yml',
  'CLAUDE.md',
  'docs/CLAUDE.md',
  'package-lock.json',
  'web/.env',
  'web/CLAUDE.md',
  'web/cart/CLAUDE.md',
  'web/cart/total.ts',
  'web/shop/.env',
]

test('protected files of the folder and of those above it are named, the nearest first, and none from elsewhere', () => {
  assert.deepEqual(listProtectedNear(paths, ['web/cart/total.ts'], scope), [
    'web/cart/CLAUDE.md',
    'web/.env',
    'web/CLAUDE.md',
    '.env',
    '.github/workflows/ci.yml',
    'CLAUDE.md',
    'package-lock.json',
  ])
})

test('neither what an issue is about is named nor what a person has allowed', () => {
  const granted = { ...scope, grants: ['.env', '.github/workflows/ci.yml'] }
  assert.deepEqual(listProtectedNear(paths, ['package-lock.json'], granted), ['CLAUDE.md'])
})
