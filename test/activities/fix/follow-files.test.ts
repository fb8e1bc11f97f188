// Which files are still there to be fixed, in a real repository.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { followFiles } from '../../../src/activities/fix/follow-files.ts'
import type { IssueRecord } from '../../../src/domain/session/store-records.ts'
import { temporaryFolder } from '../../support/temporal.ts'
import { DEFAULTS } from '../support.ts'

test('followFiles: renames of earlier commits count, and a file that only an attempt has deleted is not gone', async (t) => {
  const { path: root, remove } = temporaryFolder('follow')
  t.after(remove)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      encoding: 'utf8',
    }).trim()
  const commit = (message: string) => {
    git('add', '-A')
    git('commit', '-q', '-m', message)
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q')
  for (const name of ['moved', 'tried', 'deleted']) writeFileSync(join(root, `${name}.py`), `${name}()\n`.repeat(20))
  const base_commit = commit('begin')
  git('mv', 'moved.py', 'place.py')
  git('rm', '-q', 'deleted.py')
  const head = commit('move one, delete one')
  git('rm', '-q', 'tried.py')
  const tree = git('write-tree')

  const codes = ['moved', 'tried', 'deleted']
  const issues = codes.map((code) => ({ issue_code: code, file: `${code}.py` }) as IssueRecord)
  const settings = { ...DEFAULTS, profile: 'review-fix' }
  const followed = await followFiles(
    { issues, settings, record: { base_commit } },
    { gitDir: join(root, '.git') },
    { codes, head, tree },
  )
  assert.deepEqual(
    followed.issues.map(({ file }) => file),
    ['place.py', 'tried.py', 'deleted.py'],
  )
  assert.deepEqual([...followed.gone.keys()], ['deleted'])
})
