import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ReportedPlace } from '../../../src/integrations/importers/importer.ts'
import { createPathResolver } from '../../../src/integrations/importers/resolve-paths.ts'

const ROOT = '/home/me/app'
const FILES = [
  'index.ts',
  'src/a.ts',
  'src/b.ts',
  'packages/web/index.ts',
  'packages/web/src/a.ts',
  'packages/web/src/c.ts',
]

function resolved(places: readonly (string | ReportedPlace)[], files = FILES): (string | undefined)[] {
  const all = places.map((place) => (typeof place === 'string' ? { path: place } : place))
  const resolve = createPathResolver(all, { root: ROOT, files })
  return all.map(resolve)
}

const cases: readonly (readonly [string, readonly (string | ReportedPlace)[], readonly (string | undefined)[]])[] = [
  ['relative to the root', ['src/a.ts', './packages/web/../web/src/c.ts'], ['src/a.ts', 'packages/web/src/c.ts']],
  ['absolute below the root', [`${ROOT}/src/a.ts`, `${ROOT}/index.ts`], ['src/a.ts', 'index.ts']],
  ['separators of Windows', ['src\\a.ts', 'packages\\web\\src\\c.ts'], ['src/a.ts', 'packages/web/src/c.ts']],
  ['a drive of Windows', ['C:\\work\\app\\src\\b.ts', 'C:\\work\\app\\index.ts'], ['src/b.ts', 'index.ts']],
  [
    'another checkout',
    ['/ci/app/src/b.ts', '/ci/app/src/a.ts', '/ci/app/index.ts'],
    ['src/b.ts', 'src/a.ts', 'index.ts'],
  ],
  [
    'a working folder below the root',
    [{ path: 'src/a.ts', folder: `${ROOT}/packages/web` }],
    ['packages/web/src/a.ts'],
  ],
  [
    'a working folder elsewhere',
    [
      { path: 'src/c.ts', folder: '/ci/packages/web' },
      { path: '../../src/a.ts', folder: '/ci/packages/web' },
    ],
    ['packages/web/src/c.ts', 'src/a.ts'],
  ],
  ['a folder of the repository as root', ['src/c.ts'], ['packages/web/src/c.ts']],
  ['the folder above the repository', ['app/src/b.ts'], ['src/b.ts']],
  ['another folder above it', ['other/src/b.ts'], [undefined]],
  ['only the name of a file of a longer path', ['/usr/lib/tool/b.ts'], [undefined]],
  ['a package that is installed', ['/ci/node_modules/x/src/b.ts', 'node_modules/app/src/b.ts'], [undefined, undefined]],
  [
    'a path that leads out',
    ['../secret/src/b.ts', '/../../etc/passwd', 'a/../../x'],
    [undefined, undefined, undefined],
  ],
  ['git itself', [`${ROOT}/.git/config`, '.git/config'], [undefined, undefined]],
  ['two places that say as much', ['/one/src/b.ts', '/two/web/src/c.ts'], [undefined, undefined]],
  ['what may mean two files', ['/ci/src/a.ts'], [undefined]],
]

for (const [what, places, expected] of cases) {
  test(`createPathResolver: ${what}`, () => assert.deepEqual(resolved(places), expected))
}

test('createPathResolver: where some files are here, what is not here is not looked for elsewhere', () => {
  assert.deepEqual(resolved(['src/a.ts', 'src/c.ts', '/ci/src/b.ts']), ['src/a.ts', undefined, undefined])
  assert.deepEqual(resolved([`${ROOT}/src/a.ts`, '/usr/lib/x/src/b.ts']), ['src/a.ts', undefined])
})

test('createPathResolver: whatever a path is, only a file of the repository comes out', () => {
  const piece = fc.constantFrom(
    '..',
    '.',
    '',
    'src',
    'a.ts',
    'b.ts',
    'packages',
    'web',
    '/',
    '\\',
    'C:',
    '.git',
    'home',
    'me',
    'app',
  )
  const path = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('/'))
  fc.assert(
    fc.property(
      fc.array(fc.record({ path, folder: fc.option(path, { nil: undefined }) }), { maxLength: 5 }),
      (places) => {
        for (const found of resolved(places)) assert.ok(found === undefined || FILES.includes(found))
      },
    ),
  )
})
