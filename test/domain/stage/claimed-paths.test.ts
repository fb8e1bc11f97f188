import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findNamedPaths, parseClaimedPaths, parseLines } from '../../../src/domain/stage/claimed-paths.ts'

const CHANGED = ['bool.go', 'flag.go', 'src/a.py', 'a, b.txt', 'odd;name.py']
const pathsOf = (...entries: string[]) =>
  parseClaimedPaths(entries, '/tree', (path) => CHANGED.includes(path)).map(({ path }) => path)

test('claimed paths: one text with several paths names them all', () => {
  assert.deepEqual(pathsOf('bool.go,flag.go'), ['bool.go', 'flag.go'])
  assert.deepEqual(pathsOf('bool.go; ./flag.go\nsrc/a.py'), ['bool.go', 'flag.go', 'src/a.py'])
  assert.deepEqual(pathsOf('`bool.go` and /tree/flag.go'), ['bool.go', 'flag.go'])
})

test('claimed paths: a path that exists as it stands is not split', () => {
  assert.deepEqual(pathsOf('a, b.txt', 'odd;name.py', ' src/a.py '), ['a, b.txt', 'odd;name.py', 'src/a.py'])
})

test('claimed paths: what is no changed path counts for nothing', () => {
  assert.deepEqual(pathsOf('nothing', '', ',,;', 'other.go,../flag.go,.git/config', 'https://x.test/bool.go'), [])
})

test('claimed paths: lines behind a path are read, in each of the usual spellings', () => {
  const claimed = parseClaimedPaths(['src/a.py:3', 'bool.go:3-5,9, flag.go#L7-L2'], '/tree', (path) =>
    CHANGED.includes(path),
  )
  assert.deepEqual(claimed, [
    { path: 'src/a.py', lines: { first: 3, last: 3 } },
    { path: 'bool.go', lines: { first: 3, last: 5 } },
    { path: 'bool.go', lines: { first: 9, last: 9 } },
    { path: 'flag.go', lines: { first: 2, last: 7 } },
  ])
  assert.equal(parseLines('somewhere'), undefined)
})

test('claimed paths: any text is read without an error, and only known paths come out', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (entries) => {
      for (const path of pathsOf(...entries)) assert.ok(CHANGED.includes(path))
    }),
  )
})

test('named paths: a finding names a file whose path stands in its text as a word of its own', () => {
  const named = (text: string) => findNamedPaths(text, CHANGED)
  assert.deepEqual(named('flag.go and ./bool.go disagree'), ['bool.go', 'flag.go'])
  assert.deepEqual(named('see `src/a.py:12`.'), ['src/a.py'])
  assert.deepEqual(named('Change flag.go.'), ['flag.go'])
  assert.deepEqual(named('other/flag.go, myflag.go, flag.gox, flag.go/x, flag.go.bak, ../flag.go, src/a.pyc'), [])
})
