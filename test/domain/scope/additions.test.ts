import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type AdditionRules, type BroughtFile, findAdditions } from '../../../src/domain/scope/additions.ts'
import { findNameClashes } from '../../../src/domain/scope/name-clashes.ts'
import { listNamesOfUse } from '../../../src/domain/scope/unused-files.ts'

const FREE = { decision: 'allow', limit: 0 } as const
const RULES: AdditionRules = {
  secrets: FREE,
  new_files: FREE,
  added_bytes: FREE,
  binaries: FREE,
  name_clashes: FREE,
  links: FREE,
  unused_files: FREE,
}

function file(path: string, more: Partial<BroughtFile> = {}): BroughtFile {
  const none = { isNew: false, addedBytes: 0, isBinary: false, secrets: [], isNewLink: false, replacesFolder: false }
  return { path, ...none, isUnused: false, ...more }
}

function reasons(files: readonly BroughtFile[], rules: Partial<AdditionRules>): string[] {
  const found = findAdditions(files, { ...RULES, ...rules })
  return [...found].flatMap(([path, all]) => all.map(({ decision, why }) => `${decision} ${path}: ${why}`))
}

describe('findAdditions', () => {
  test('asks beyond a kind’s limit, rejects where that is said, and looks away where it is allowed', () => {
    const files = [file('a', { isNew: true }), file('b', { isNew: true }), file('c')]
    assert.deepEqual(reasons(files, { new_files: { decision: 'ask', limit: 2 } }), [])
    assert.deepEqual(reasons(files, { new_files: { decision: 'ask', limit: 1 } }), [
      'ask a: one of 2 new files, more than 1',
      'ask b: one of 2 new files, more than 1',
    ])
    assert.equal(reasons(files, { new_files: { decision: 'reject', limit: 0 } })[0]?.split(' ')[0], 'reject')
    assert.deepEqual(reasons(files, {}), [])
  })

  test('names of bytes only the largest files, without which the others are within the limit', () => {
    const files = [3, 900, 5, 700].map((addedBytes) => file(`${addedBytes}`, { addedBytes }))
    const rule = { decision: 'ask', limit: 10 } as const
    assert.deepEqual(reasons(files, { added_bytes: rule }), [
      'ask 900: 900 bytes of 1.6 kB added, more than 10 bytes',
      'ask 700: 700 bytes of 1.6 kB added, more than 10 bytes',
    ])
  })

  test('says all that a file brings', () => {
    const ask = { decision: 'ask', limit: 0 } as const
    const all = file('x', {
      isBinary: true,
      secrets: ['aws', 'openai'],
      isNewLink: true,
      clashesWith: 'X',
      isUnused: true,
    })
    const rules = { binaries: ask, secrets: ask, links: ask, name_clashes: ask, unused_files: ask }
    assert.deepEqual(
      reasons([all], rules).map((reason) => reason.replace('ask x: ', '')),
      ['a new secret (aws, openai)', 'a binary', 'a name like X', 'a new link', 'a new file that nothing uses'],
    )
    assert.deepEqual(reasons([file('x', { isNewLink: true, replacesFolder: true })], { links: ask }), [
      'ask x: a folder turned into a link',
    ])
  })
})

describe('findNameClashes', () => {
  const clashes = (old: readonly string[], added: readonly string[]) => [
    ...findNameClashes([...old, ...added], new Set(added)),
  ]

  test('finds names that differ only in case, composed accents or invisible characters, folders too', () => {
    assert.deepEqual(clashes(['src/a.ts'], ['SRC/b.ts']), [['SRC/b.ts', 'src']])
    assert.deepEqual(clashes(['Read.me'], ['read.ME']), [['read.ME', 'Read.me']])
    assert.deepEqual(clashes(['caf\u00e9'], ['cafe\u0301', 'caf\u200b\u00e9']), [
      ['cafe\u0301', 'caf\u00e9'],
      ['caf\u200b\u00e9', 'caf\u00e9'],
    ])
    assert.deepEqual(clashes([], ['a/x', 'A/y']), [['A/y', 'a']])
  })

  test('leaves alone what clashed before, and what is only new', () => {
    assert.deepEqual(clashes(['src/a', 'SRC/b'], ['SRC/c', 'src/d', 'lib/e']), [])
  })

  test('finds every name in capitals beside small ones, and nothing among names that differ in more than case', () => {
    const name = fc.stringMatching(/^[a-z]{1,3}(\/[a-z]{1,3}){0,2}$/)
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.uniqueArray(name), (old, added) => {
        const fresh = added.filter((path) => !old.includes(path))
        assert.deepEqual(clashes(old, fresh), [])
        const upper = old.map((path) => path.toUpperCase())
        assert.deepEqual(new Map(clashes(old, upper)).size, upper.length)
      }),
    )
  })
})

describe('listNamesOfUse', () => {
  const names = (path: string, texts: readonly string[] = []) => listNamesOfUse({ path, isTest: false }, texts)

  test('names a new file by its base name and its module name', () => {
    assert.deepEqual(names('src/cfg.py'), ['cfg.py', 'cfg'])
    assert.deepEqual(names('src/date-utils.test-d.ts'), [
      'date-utils.test-d.ts',
      'date-utils',
      'DateUtils',
      'dateUtils',
    ])
    assert.deepEqual(names('scripts/run'), ['run'])
    assert.deepEqual(names('.eslintrc.cjs'), ['.eslintrc.cjs', '.eslintrc'])
  })

  test('asks for no use of tests, documents, fixtures, what is found by its place, and what the finding names', () => {
    assert.equal(listNamesOfUse({ path: 'src/cfg.py', isTest: true }, []), undefined)
    const free = ['README.md', 'docs/conf.py', 'CHANGELOG', 'news/12.bugfix', 'changelog.d/1.fixed', 'tests/data/x.bin']
    const placed = [
      'pkg/util.go',
      'src/__init__.py',
      'src/index.ts',
      'src/mod.rs',
      'db/0001_users.sql',
      'a/b.d.ts',
      'x/a.c',
    ]
    for (const path of [...free, ...placed]) assert.equal(names(path), undefined, path)
    assert.equal(names('src/cfg.py', ['Move the settings into src/cfg.py']), undefined)
    assert.ok(names('src/cfg.py', ['Something about cfg']))
  })
})
