// Whose objects a git directory borrows, when what it says of that is not to be believed.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { listObjectFolders } from '../../../../src/platform/git/workspace/object-store.ts'

test('borrowed objects are found through all who lend, and a folder of keys that is called a lender is none', (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-objects-')))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const own = join(root, 'own/objects')
  const [near, far] = [join(root, 'near/objects'), join(root, 'far/objects')]
  for (const folder of [own, near, far])
    for (const name of ['info', 'pack']) mkdirSync(join(folder, name), { recursive: true })
  const keys = join(root, '.ssh')
  mkdirSync(keys)
  mkdirSync(join(root, 'trap'))
  symlinkSync(keys, join(root, 'trap/objects'))
  writeFileSync(
    join(own, 'info/alternates'),
    [near, keys, join(root, 'trap/objects'), '/', join(root, 'gone'), ''].join('\n'),
  )
  writeFileSync(join(near, 'info/alternates'), `../../far/objects\n${own}\n`)
  assert.deepEqual(listObjectFolders(join(root, 'own')), [own, near, far])
})
