import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFilters } from '../../../src/platform/git/repository/filtered-files.ts'
import { makeTreeAccessible } from '../../../src/platform/git/unruly-files.ts'
import { sandbox } from './support.ts'

test('what opens up a tree pauses at each entry, so that a large one keeps nobody else waiting', async (t) => {
  const { home, write } = sandbox(t)
  const folder = join(home, 'left')
  write({ 'a/b/file': 'x', 'a/other': 'y' }, folder)
  chmodSync(join(folder, 'a/b/file'), 0o000)
  let pauses = 0
  await makeTreeAccessible(folder, async () => {
    pauses += 1
  })
  assert.equal(pauses, 4)
  assert.equal(readFileSync(join(folder, 'a/b/file'), 'utf8'), 'x')
})

test('of a look at filters that was killed nothing stays: not with the workspace, nor after the next look', async (t) => {
  const box = sandbox(t)
  box.write({ '.gitattributes': '*.bin filter=lfs\n' })
  box.git(['add', '.'])
  box.git(['commit', '-q', '-m', 'attributes'])
  const at = { root: box.repository, commit: 'HEAD' }
  const { directory } = await box.open()
  const gone = spawnSync('true').pid
  for (const parent of [directory, tmpdir()]) {
    const [dead, alive] = [gone, process.pid].map((pid) => join(parent, `fixwright-index.${pid}-left`))
    for (const folder of [dead!, alive!]) mkdirSync(folder)
    t.after(() => rmSync(alive!, { recursive: true, force: true }))
    const found = await findFilters(at, ['a.bin', 'a.txt'], ...(parent === directory ? [parent] : []))
    assert.deepEqual([...found], [['a.bin', 'lfs']])
    assert.deepEqual([existsSync(dead!), existsSync(alive!)], [false, true])
  }
})
