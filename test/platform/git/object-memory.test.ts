import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type GitRequest, runGitInProcess } from '../../../src/platform/git/execute.ts'
import { runGitText, setGitRunner } from '../../../src/platform/git/git.ts'
import { recallObject, rememberObject } from '../../../src/platform/git/object-memory.ts'
import { readSizedBlobs } from '../../../src/platform/git/repository/read-blobs.ts'
import { sandbox } from './support.ts'

function recordCommands(t: TestContext): string[][] {
  const commands: string[][] = []
  const giveBack = setGitRunner(async (request: GitRequest, signal) => {
    commands.push([...request.args])
    return await runGitInProcess(request, signal)
  })
  t.after(giveBack)
  return commands
}

test('the answer to a question about ids is remembered, and one about names is not', async (t) => {
  const box = sandbox(t)
  const commit = box.git(['rev-parse', 'HEAD']).trim()
  const commands = recordCommands(t)
  const list = (revision: string) => runGitText(box.repository, ['ls-tree', '-r', revision], { objects: [revision] })
  const first = await list(commit)
  assert.equal(await list(commit), first)
  assert.equal(commands.length, 1)
  await list('HEAD')
  box.write({ 'more.txt': 'more\n' })
  box.git(['add', '--all'])
  box.git(['commit', '-qm', 'More'])
  assert.match(await list('HEAD'), /more\.txt/)
  assert.equal(commands.length, 3)
})

test('an object that was missing is asked for again', async (t) => {
  const box = sandbox(t)
  const sha = '5ea2ed4d0e5cf6d0b8ee4a0a5f0a4c3b8c2e0b11'
  const ask = () => runGitText(box.repository, ['cat-file', '-t', sha], { objects: [sha], accept: [128] })
  const commands = recordCommands(t)
  assert.deepEqual([await ask(), await ask(), commands.length], ['', '', 2])
})

test('a blob is read once, and keeps to the limit of each reader', async (t) => {
  const box = sandbox(t)
  const sha = box.git(['hash-object', '-w', 'README.md']).trim()
  const commands = recordCommands(t)
  const [first] = await readSizedBlobs(box.repository, [sha], 1000)
  const [again] = await readSizedBlobs(box.repository, [sha, sha], 1000)
  assert.deepEqual(again, first)
  assert.equal(commands.length, 2)
  assert.deepEqual(await readSizedBlobs(box.repository, [sha], 1), [{ bytes: first?.bytes, content: undefined }])
})

test('the memory forgets what was used least lately, and takes no answer of more than a mebibyte', () => {
  const key = (index: number) => join('forgets', `${index}`)
  const mebibyte = Buffer.alloc(2 ** 20)
  rememberObject(key(0), mebibyte)
  rememberObject(key(1), mebibyte)
  for (let index = 2; index < 34; index += 1) {
    assert.ok(recallObject(key(0)), 'what is used stays')
    rememberObject(key(index), mebibyte)
  }
  assert.equal(recallObject(key(1)), undefined)
  rememberObject(key(99), Buffer.alloc(2 ** 20 + 1))
  assert.equal(recallObject(key(99)), undefined)
})
