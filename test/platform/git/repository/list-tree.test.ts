import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listFilesAtCommit } from '../../../../src/platform/git/repository/list-tree.ts'
import { sandbox } from '../support.ts'

test('paths that lead out of the repository are no files of it, and no failure', async (t) => {
  const box = sandbox(t)
  box.write({ 'src/one.txt': 'one\n' })
  box.git(['add', '-A'])
  box.git(['commit', '-qm', 'one'])
  const asked = ['src/one.txt', '../../etc/passwd', '/etc/passwd', 'src/../../x', '', 'src/', './src/one.txt']
  const found = await listFilesAtCommit(box.repository, 'HEAD', asked)
  assert.deepEqual(
    found.map(({ path }) => path),
    ['src/one.txt'],
  )
})
