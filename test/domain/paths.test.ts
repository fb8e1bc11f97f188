import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathsInside } from '../../src/domain/paths.ts'

test('the files that an agent names are those of its tree, however it spells them', () => {
  const named = ['src/a.py', './src/b.py', '/home/s1/workspace/tree/src/c.py ', 'src/../d.py', 'src//e.py']
  assert.deepEqual(pathsInside(named, '/home/s1/workspace/tree'), [
    'src/a.py',
    'src/b.py',
    'src/c.py',
    'd.py',
    'src/e.py',
  ])
  const none = ['', ' ', '/etc/passwd', '../x', '/home/s1/workspace/tree2/x', '.git/config', 'src/', 'a\nb']
  assert.deepEqual(pathsInside(none, '/home/s1/workspace/tree'), [])
})
