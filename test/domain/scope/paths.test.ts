import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isGitInternal, isInside, parsePathsInside, resolveThroughLinks } from '../../../src/domain/scope/paths.ts'

test('the files that an agent names are those of its tree, however it spells them', () => {
  const named = ['src/a.py', './src/b.py', '/home/s1/workspace/tree/src/c.py ', 'src/../d.py', 'src//e.py']
  assert.deepEqual(parsePathsInside(named, '/home/s1/workspace/tree'), [
    'src/a.py',
    'src/b.py',
    'src/c.py',
    'd.py',
    'src/e.py',
  ])
  const none = ['', ' ', '/etc/passwd', '../x', '/home/s1/workspace/tree2/x', '.git/config', 'src/', 'a\nb']
  assert.deepEqual(parsePathsInside(none, '/home/s1/workspace/tree'), [])
})

test('what lies in a folder is told name by name', () => {
  for (const path of ['packages/web', 'packages/web/a', 'packages/web/.a/b']) assert.ok(isInside(path, 'packages/web'))
  for (const path of ['packages/webapp', 'packages/web.ts', 'packages', 'Packages/web/a', 'x/packages/web']) {
    assert.ok(!isInside(path, 'packages/web'), path)
  }
})

test('a link leads to where the links on its way lead, and nowhere where it leaves the tree or turns in a circle', () => {
  const links = new Map(
    Object.entries({ 'a/up': '..', 'a/far': '../../x', 'a/b': '../c', 'c/d': 'e/f', 'a/o': 'o', root: '/' }),
  )
  const to = (path: string, target: string) => resolveThroughLinks(path, target, (each) => links.get(each))
  assert.equal(to('a/link', 'x/./y'), 'a/x/y')
  assert.equal(to('a/link', '..'), '')
  assert.equal(to('a/link', 'up/z'), 'z')
  assert.equal(to('a/link', 'b/d/g'), 'c/e/f/g')
  assert.equal(to('link', 'a/up/a/b'), 'c')
  for (const target of ['far', 'far/x', 'o', '../..', '../root/etc', '/a', 'x/../y', '../.git', 'a\\b', 'C:/x']) {
    assert.equal(to('a/link', target), undefined, target)
  }
})

test('git’s own name is known in every spelling of it', () => {
  for (const name of ['.git', '.GIT', '.git.', '.git ', 'git~1', '.git:x', 'a\\.git', '.g\u200cit'])
    assert.ok(isGitInternal(name))
  for (const name of ['git', '.gitignore', '.github', 'a.git', '.gitx', '.git2', 'x.git'])
    assert.ok(!isGitInternal(name), name)
})
