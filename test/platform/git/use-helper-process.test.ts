// Git run by a helper: all that holds of git holds there, too.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { runGit, setGitRunner } from '../../../src/platform/git/git.ts'
import { useGitHelperProcess } from '../../../src/platform/git/use-helper-process.ts'
import { sandbox } from './support.ts'

after(useGitHelperProcess())
await import('./git.test.ts')

test('what goes in and comes out is every byte of it', async (t) => {
  const { repository } = sandbox(t)
  const bytes = randomBytes(3_000_000)
  const { stdout } = await runGit(repository, ['hash-object', '-w', '--stdin'], { input: bytes })
  const blob = await runGit(repository, ['cat-file', 'blob', stdout.toString().trim()])
  assert.ok(bytes.equals(blob.stdout))
})

test('a worker that ends late takes no helper away from the one after it', async (t) => {
  const { repository } = sandbox(t)
  const asked: string[] = []
  const stopEarlier = useGitHelperProcess()
  const giveBack = setGitRunner(async ({ args }) => {
    asked.push(...args)
    return { stdout: Buffer.alloc(0), stderr: '', code: 0 }
  })
  t.after(giveBack)
  stopEarlier()
  await runGit(repository, ['version'])
  assert.deepEqual(asked, ['version'])
})
