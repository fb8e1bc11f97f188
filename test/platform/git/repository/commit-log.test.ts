import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  listLatestCommits,
  listLatestSubjects,
  readCommitContent,
} from '../../../../src/platform/git/repository/commit-log.ts'
import { sandbox } from '../support.ts'

test('listLatestSubjects and listLatestCommits read the log, without merges and our own commits', async (t) => {
  const box = sandbox(t)
  const commit = (file: string, message: string) => {
    box.write({ [file]: message })
    box.git(['add', '.'])
    box.git(['commit', '-q', '-m', message])
  }
  commit('a file.py', 'Fix a "bug"\n\nIts body.')
  commit('ü.py', 'fix: ours\n\nFixwright-Issue: A\nFixwright-Session: s1')
  box.git(['checkout', '-q', '-b', 'side', 'HEAD~1'])
  commit('b.py', 'Add b')
  box.git(['checkout', '-q', 'main'])
  box.git(['merge', '-q', '--no-ff', '-m', 'Merge side', 'side'])
  box.git(['commit', '-q', '--allow-empty', '-m', 'Say nothing'])
  const [first = ''] = box.git(['log', '--reverse', '--format=%s']).split('\n')
  assert.deepEqual(
    (await listLatestSubjects(box.repository, 'HEAD')).sort(),
    ['Add b', 'Fix a "bug"', 'Say nothing', first].sort(),
  )
  const commits = await listLatestCommits(box.repository, 'HEAD')
  const filesOf = (subject: string) => commits.find((each) => each.subject === subject)?.files
  assert.deepEqual(
    [filesOf('Fix a "bug"'), filesOf('Add b'), filesOf('Say nothing'), filesOf('fix: ours')],
    [['a file.py'], ['b.py'], [], undefined],
  )
})

test('readCommitContent knows the tree of each commit, also of the first one and of one that changes nothing', async (t) => {
  const box = sandbox(t)
  const [first = ''] = box.git(['rev-list', '--max-parents=0', 'HEAD']).split('\n')
  box.write({ 'a.py': 'a\n' })
  box.git(['add', '.'])
  box.git(['commit', '-q', '-m', 'Add a'])
  const second = box.git(['rev-parse', 'HEAD']).trim()
  box.git(['commit', '-q', '--allow-empty', '-m', 'Say nothing'])
  const third = box.git(['rev-parse', 'HEAD']).trim()
  const contents = await Promise.all([first, second, third].map((commit) => readCommitContent(box.repository, commit)))
  assert.deepEqual(
    contents.map(({ tree }) => tree),
    [first, second, third].map((commit) => box.git(['rev-parse', `${commit}^{tree}`]).trim()),
  )
  assert.match(contents[0]!.diff, /^diff --git .*\n\+hello\n/s)
  assert.match(contents[1]!.diff, /^diff --git a\/a\.py b\/a\.py\n/)
  assert.equal(contents[2]!.diff, '')
})
