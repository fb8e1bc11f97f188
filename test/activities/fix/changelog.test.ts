import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findChangelogHabit } from '../../../src/activities/fix/fixer-prompt-input.ts'
import { sandbox } from '../../platform/git/support.ts'

test('findChangelogHabit finds a habit of the log, for one issue, or for several where each entry has its own file', async (t) => {
  const box = sandbox(t)
  const place = () => ({ gitDir: `${box.repository}/.git`, base: box.git(['rev-parse', 'HEAD']) })
  const fixWith = (at: number, entry: string) => {
    box.write({ [`src/m${at}.py`]: `${entry}`, [entry]: `${at}` })
    box.git(['add', '.'])
    box.git(['commit', '-q', '-m', `Fix bug ${at}`])
  }
  assert.equal(await findChangelogHabit(place(), ['A']), undefined)
  for (let at = 0; at < 6; at += 1) fixWith(at, 'CHANGELOG.md')
  assert.deepEqual(await findChangelogHabit(place(), ['A']), { kind: 'file', path: 'CHANGELOG.md' })
  assert.equal(await findChangelogHabit(place(), ['A', 'B']), undefined, 'it would tie them together')
  for (let at = 6; at < 14; at += 1) fixWith(at, `news.d/${at}.md`)
  assert.deepEqual(await findChangelogHabit(place(), ['A', 'B']), { kind: 'fragments', path: 'news.d' })
})
