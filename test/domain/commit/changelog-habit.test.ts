import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isChangelog, readChangelogHabit } from '../../../src/domain/commit/changelog-habit.ts'

const fixes = (count: number, ...files: readonly string[]) =>
  Array.from({ length: count }, (_, at) => ({ subject: `Fix bug ${at}`, files: [`src/m${at}.py`, ...files] }))

test('readChangelogHabit finds the changelog that half of the fixes touch', () => {
  assert.deepEqual(readChangelogHabit([...fixes(3, 'CHANGELOG.md'), ...fixes(3)]), {
    kind: 'file',
    path: 'CHANGELOG.md',
  })
  assert.equal(readChangelogHabit([...fixes(3, 'CHANGELOG.md'), ...fixes(4)]), undefined)
  assert.equal(readChangelogHabit(fixes(4, 'CHANGELOG.md')), undefined)
  assert.deepEqual(readChangelogHabit(fixes(6, 'docs/changes.rst')), { kind: 'file', path: 'docs/changes.rst' })
})

test('readChangelogHabit knows folders in which each change has its own file', () => {
  const log = fixes(6).map((commit, at) => ({ ...commit, files: [...commit.files, `newsfragments/${at}.bugfix.rst`] }))
  assert.deepEqual(readChangelogHabit(log), { kind: 'fragments', path: 'newsfragments' })
  assert.deepEqual(readChangelogHabit(fixes(6, '.changeset/blue-cats.md')), { kind: 'fragments', path: '.changeset' })
})

test('readChangelogHabit counts neither features nor commits of the changelog alone', () => {
  const releases = Array.from({ length: 9 }, () => ({ subject: 'Fix changelog', files: ['CHANGELOG.md'] }))
  const features = fixes(9, 'CHANGELOG.md').map((commit) => ({ ...commit, subject: 'Add a feature' }))
  assert.equal(readChangelogHabit([...releases, ...features, ...fixes(6)]), undefined)
})

test('isChangelog knows the usual names, and no source file of such a name', () => {
  for (const file of ['CHANGELOG.md', 'CHANGES', 'HISTORY.rst', 'docs/News.txt', 'changelog.d/12.fix'])
    assert.ok(isChangelog(file), file)
  for (const file of ['src/changelog.py', 'history.js', 'newsletter.md', 'src/changes/apply.ts', 'news/today.md'])
    assert.ok(!isChangelog(file), file)
})
