// Git processes that stay: they answer as a git of its own does, and nobody has to think of them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { askObjects } from '../../../src/platform/git/ask-objects.ts'
import { diffTrees, resolveTree } from '../../../src/platform/git/compare-trees.ts'
import { runGitInProcess } from '../../../src/platform/git/execute.ts'
import { setGitRunner } from '../../../src/platform/git/git.ts'
import { runWithLastingGit } from '../../../src/platform/git/lasting-git.ts'
import { listFilesAtCommit } from '../../../src/platform/git/repository/list-tree.ts'
import { readBlobTexts } from '../../../src/platform/git/repository/read-blobs.ts'
import { diffText, listChanges } from '../../../src/platform/git/workspace/diff.ts'
import type { LastingOptions } from '../../../src/platform/processes/helper/lasting-process.ts'
import { until } from '../../support/until.ts'
import { plainGit, sandbox } from './support.ts'

/** Counts the commands that a git of their own answers. */
function useLastingGit(t: TestContext, options?: LastingOptions): string[][] {
  const alone: string[][] = []
  const run = runWithLastingGit(async (request, signal) => {
    alone.push([...request.args])
    return await runGitInProcess(request, signal)
  }, options)
  t.after(setGitRunner(run))
  return alone
}

/** Those of this process that work on the git directory. */
function findLastingPids(gitDir: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]
      const isOurs = Number(parent) === process.pid
      return isOurs && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`GIT_DIR=${gitDir}\0`)
        ? [Number(name)]
        : []
    } catch {
      return []
    }
  })
}

test('one process answers all questions about objects, also about those that came later', async (t) => {
  const box = sandbox(t)
  const { gitDir } = await box.open()
  const alone = useLastingGit(t)
  const before = box.git(['rev-parse', 'HEAD'])
  for (let round = 0; round < 5; round += 1) {
    const text = `round ${round}\n`
    box.write({ 'README.md': text })
    const sha = plainGit(['hash-object', '-w', `${box.repository}/README.md`], gitDir)
    const [found] = await askObjects(gitDir, [['info', sha]])
    assert.equal(found?.type, 'blob')
    const [listed] = await listFilesAtCommit(gitDir, before, ['README.md'])
    assert.deepEqual(await readBlobTexts(gitDir, [listed!.sha, sha]), ['hello\n', text])
  }
  assert.deepEqual(alone, [])
  assert.equal(findLastingPids(gitDir).length, 1)
})

test('a process that stays stands in no folder of the session', async (t) => {
  const box = sandbox(t)
  const { gitDir, base } = await box.open()
  useLastingGit(t)
  await askObjects(gitDir, [['info', base]])
  const [pid] = findLastingPids(gitDir)
  assert.equal(readlinkSync(`/proc/${pid}/cwd`), '/')
})

test('a process that was killed is started again', async (t) => {
  const box = sandbox(t)
  const { gitDir, base } = await box.open()
  const alone = useLastingGit(t)
  const ask = async () => (await askObjects(gitDir, [['info', base]]))[0]?.type
  await ask()
  const [first] = findLastingPids(gitDir)
  process.kill(first!, 'SIGKILL')
  assert.equal(await ask(), 'commit')
  await until('the first is gone', () => !findLastingPids(gitDir).includes(first!))
  assert.equal(await ask(), 'commit')
  assert.equal(findLastingPids(gitDir).length, 1)
  assert.ok(alone.length <= 1)
})

test('a process that hangs is killed and replaced, and its question is answered by a git of its own', async (t) => {
  const box = sandbox(t)
  const { gitDir, base } = await box.open()
  const alone = useLastingGit(t, { silentMs: 1_000 })
  const ask = async () => (await askObjects(gitDir, [['info', base]]))[0]?.type
  assert.equal(await ask(), 'commit')
  const [first] = findLastingPids(gitDir)
  process.kill(first!, 'SIGSTOP')
  const asked = alone.length
  assert.deepEqual(await Promise.all([ask(), ask()]), ['commit', 'commit'])
  assert.equal(alone.length, asked + 2)
  assert.equal(await ask(), 'commit')
  assert.equal(alone.length, asked + 2)
  assert.ok(!findLastingPids(gitDir).includes(first!))
})

test('another git directory in the same place is another one', async (t) => {
  const box = sandbox(t)
  const { gitDir, directory, base } = await box.open()
  useLastingGit(t)
  await askObjects(gitDir, [['info', base]])
  rmSync(directory, { recursive: true })
  await assert.rejects(askObjects(gitDir, [['info', base]]))
  const other = ['init', '-q', '--bare', '--object-format=sha256', gitDir]
  plainGit(other, box.home)
  const sha = plainGit(['hash-object', '-w', `${box.repository}/README.md`], gitDir)
  assert.equal((await askObjects(gitDir, [['info', sha]]))[0]?.bytes, 6)
})

test('what git can not read is told as ever', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  useLastingGit(t)
  const missing = '5ea2ed4d0e5cf6d0b8ee4a0a5f0a4c3b8c2e0b11'
  assert.deepEqual(await askObjects(workspace.gitDir, [['contents', missing]]), [undefined])
  await assert.rejects(listChanges(workspace, workspace.base, missing), /diff-tree/)
  const lines = `040000 tree ${missing}\tsub\n`
  const broken = execFileSync('git', ['mktree', '--missing'], {
    cwd: workspace.gitDir,
    input: lines,
    encoding: 'utf8',
  }).trim()
  await assert.rejects(listChanges(workspace, workspace.base, broken), /diff-tree/)
  await assert.rejects(resolveTree(workspace, missing), /rev-parse/)
  await assert.rejects(readBlobTexts(workspace.gitDir, [missing]), /missing/)
  await assert.rejects(listFilesAtCommit(workspace.gitDir, missing, ['README.md']), /ls-tree/)
})

const NAMES = [
  'a',
  'b.txt',
  'dir',
  'dir/c',
  'dir/d e',
  'dir.x',
  'dir/sub/é',
  'tab\there',
  'dir/sub/"q"',
  ' lead',
  'dir0',
]
const CONTENTS = ['', '1\n', '1\n2\n3\n4\n5\n', '1\n2\n3\n4\n6\n']
const Files = fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...CONTENTS))

test('lists, differences and texts are those of ls-tree and diff-tree', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  useLastingGit(t)
  const { gitDir } = workspace
  const blobs = new Map(
    CONTENTS.map((content, index) => {
      box.write({ [`blob-${index}`]: content })
      return [content, plainGit(['hash-object', '-w', `${box.repository}/blob-${index}`], gitDir)]
    }),
  )
  const modes = ['120000', '100755', '100644', '100644']
  const makeTree = (files: Record<string, string>): string => {
    const index = { GIT_DIR: gitDir, GIT_INDEX_FILE: `${box.home}/index` }
    const input = Object.entries(files)
      .map(([path, content]) => `${modes[CONTENTS.indexOf(content)]} ${blobs.get(content)}\t${path}\0`)
      .join('')
    rmSync(index.GIT_INDEX_FILE, { force: true })
    execFileSync('git', ['update-index', '-z', '--index-info'], { env: { ...process.env, ...index }, input })
    return execFileSync('git', ['write-tree'], { env: { ...process.env, ...index }, encoding: 'utf8' }).trim()
  }
  await fc.assert(
    fc.asyncProperty(Files, Files, fc.subarray(NAMES), async (one, other, asked) => {
      const [from, to] = [makeTree(one), makeTree(other)]
      const raw = plainGit(['diff-tree', '-r', '-z', '--find-renames', from, to], gitDir)
      assert.equal((await diffTrees(workspace, ['-r', '-z', '--find-renames'], from, to)).toString(), raw)
      const flags = ['-c', 'core.quotePath=false', 'diff-tree', '-r', '-p', '--find-renames']
      assert.equal((await diffText(workspace, from, to)).trimEnd(), plainGit([...flags, from, to], gitDir))
      const part = asked.length === 0 ? '' : plainGit([...flags, from, to, '--', ...asked], gitDir)
      assert.equal((await diffText(workspace, from, to, asked)).trimEnd(), part)
      const lines =
        asked.length === 0 ? '' : plainGit(['ls-tree', '-z', '-l', '--full-tree', from, '--', ...asked], gitDir)
      // Where a path below a folder is asked for too, ls-tree lists more of the folder than was asked for.
      const listed = lines.split('\0').flatMap((line) => {
        const [, ...file] = /^(100\d{3}) blob (\w+) +(\d+)\t(.*)$/s.exec(line) ?? []
        return asked.includes(file[3] ?? '') ? file.join(' ') : []
      })
      const found = await listFilesAtCommit(gitDir, from, asked)
      assert.deepEqual(
        found.map(({ mode, sha, bytes, path }) => [mode, sha, bytes, path].join(' ')),
        listed,
      )
    }),
    { numRuns: 8 },
  )
})
