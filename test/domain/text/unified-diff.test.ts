// A diff that git really wrote, read back: names of every kind, and lines that look like headers.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { listDiffPaths, parseDiff } from '../../../src/domain/text/unified-diff.ts'
import { sandbox } from '../../platform/git/support.ts'

test('files, names and lines are as git meant them, whatever the lines hold', (t) => {
  const box = sandbox(t)
  const many = Array.from({ length: 30 }, (_, index) => `line ${index}`)
  box.write({
    'old name.txt': many.join('\n'),
    'gone.txt': 'gone\n',
    'plain.txt': 'one\r\ntwo\n-- a/x\n',
    'b.bin': 'a\0b',
  })
  const commit = (): string => {
    box.git(['add', '--all'])
    box.git(['commit', '-q', '-m', 'next'])
    return box.git(['rev-parse', 'HEAD'])
  }
  const before = commit()
  rmSync(`${box.repository}/gone.txt`)
  rmSync(`${box.repository}/old name.txt`)
  box.write({
    'new "name"\t.txt': many.with(3, 'changed').join('\n'),
    'plain.txt': 'one\r\ntwo\rdiff --git a/fake b/fake\n++ b/fake\n@@ -1 +1 @@\nlast',
    'empty.txt': '',
    'b.bin': 'a\0c',
  })
  const now = commit()
  const diff = box.git(['diff-tree', '-r', '-p', '--find-renames', before, now])
  const files = parseDiff(`${diff}\n`)
  assert.deepEqual(
    files.map((file) => [file.kind, listDiffPaths(file), file.isBinary]).toSorted(),
    [
      ['added', ['empty.txt'], false],
      ['deleted', ['gone.txt'], false],
      ['modified', ['b.bin'], true],
      ['modified', ['plain.txt'], false],
      ['renamed', ['new "name"\t.txt', 'old name.txt'], false],
    ].toSorted(),
  )
  assert.equal(files.map(({ text }) => text).join(''), `${diff}\n`)
  const [hunk, ...others] = files.find(({ path }) => path === 'plain.txt')?.hunks ?? []
  assert.deepEqual(others, [])
  assert.deepEqual(
    hunk?.map(({ side, line, text }) => [side, line, text]),
    [
      ['both', 1, 'one\r'],
      ['old', 2, 'two'],
      ['old', 2, '-- a/x'],
      ['new', 2, 'two\rdiff --git a/fake b/fake'],
      ['new', 3, '++ b/fake'],
      ['new', 4, '@@ -1 +1 @@'],
      ['new', 5, 'last'],
    ],
  )
})
