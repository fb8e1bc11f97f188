import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeTree } from '../../../src/platform/processes/remove-tree.ts'

test('what was left is removed with a pause at each entry, locked folders with it, and no link is followed', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'fixwright-removing-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const [left, outside] = [join(home, 'left'), join(home, 'outside')]
  for (const folder of [join(left, 'locked/deep'), outside]) mkdirSync(folder, { recursive: true })
  for (const folder of [join(left, 'locked/deep'), outside]) writeFileSync(join(folder, 'file'), 'x')
  symlinkSync(outside, join(left, 'link'))
  chmodSync(join(left, 'locked/deep'), 0o500)
  chmodSync(join(left, 'locked'), 0o000)
  let pauses = 0
  const counting = async (): Promise<void> => {
    pauses += 1
  }
  await removeTree(left, counting)
  assert.deepEqual([existsSync(left), existsSync(join(outside, 'file')), pauses], [false, true, 4])
  symlinkSync(outside, left)
  await removeTree(left)
  await removeTree(left)
  assert.deepEqual([existsSync(left), existsSync(join(outside, 'file'))], [false, true])
})
