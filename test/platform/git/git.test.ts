import assert from 'node:assert/strict'
import { existsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GitError, runGit, runGitText } from '../../../src/platform/git/git.ts'
import { listPids, readProcFile } from '../../../src/platform/processes/process-table.ts'
import { runCancellable } from '../../../src/platform/processes/run-tool.ts'
import { until } from '../../support/until.ts'
import { sandbox } from './support.ts'

test('variables of the caller that point git elsewhere do not leak in', async (t) => {
  const box = sandbox(t)
  const before = { ...process.env }
  t.after(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  })
  process.env.GIT_DIR = '/nowhere'
  process.env.GIT_INDEX_FILE = '/nowhere/index'
  process.env.GIT_CONFIG_COUNT = '1'
  process.env.GIT_CONFIG_KEY_0 = 'core.bare'
  process.env.GIT_CONFIG_VALUE_0 = 'true'
  assert.equal(await runGitText(box.repository, ['rev-parse', '--show-toplevel']), box.repository)
  assert.equal((await runGitText(box.repository, ['ls-files'])).split('\n').length, 5)
})

test("the repository's own fsmonitor and external diff are not run", async (t) => {
  const box = sandbox(t)
  const trace = join(box.home, 'ran')
  writeFileSync(join(box.home, 'trap'), `#!/bin/sh\ntouch '${trace}'\n`, { mode: 0o755 })
  for (const key of ['core.fsmonitor', 'diff.external', 'core.pager', 'core.sshCommand'])
    box.git(['config', key, join(box.home, 'trap')])
  box.write({ 'README.md': 'changed\n' })
  await runGit(box.repository, ['status', '--porcelain'])
  assert.equal(existsSync(trace), false)
})

test('a failing command is one type of error, with the command, the repository and what git said', async (t) => {
  const box = sandbox(t)
  await assert.rejects(runGit(box.repository, ['cat-file', '-t', 'nonsense']), (error) => {
    assert.ok(error instanceof GitError)
    assert.match(
      error.message,
      /git cat-file -t nonsense failed in .*repository: fatal: Not a valid object name nonsense/,
    )
    assert.equal(error.code, 128)
    return true
  })
  await assert.rejects(runGit(join(box.home, 'missing'), ['status']), GitError)
})

test('an exit status that is an answer is no error, also when git says nothing', async (t) => {
  const box = sandbox(t)
  const { code, stdout } = await runGit(box.repository, ['rev-parse', '-q', '--verify', 'nope'], { accept: [1] })
  assert.deepEqual([code, stdout.length], [1, 0])
  await assert.rejects(runGit(box.repository, ['rev-parse', '-q', '--verify', 'nope']), /exit status 1/)
})

test('a command that prints nothing takes no longer than one that prints', async (t) => {
  const box = sandbox(t)
  const fastest = async (args: readonly string[]) => {
    const times: number[] = []
    for (let run = 0; run < 20; run++) {
      const start = performance.now()
      await runGit(box.repository, args)
      times.push(performance.now() - start)
    }
    return Math.min(...times)
  }
  const [silent, loud] = [await fastest(['update-ref', 'refs/test/x', 'HEAD']), await fastest(['rev-parse', 'HEAD'])]
  assert.ok(silent < loud + 45, `${silent} ms against ${loud} ms`)
})

test('an aborted call ends git and rejects with the reason', async (t) => {
  const box = sandbox(t)
  const controller = new AbortController()
  // Waits for input that never comes.
  const run = (args: readonly string[]) => runCancellable(controller.signal, () => runGit(box.repository, args))
  const running = run(['hash-object', '--stdin'])
  setImmediate(() => controller.abort(new Error('enough')))
  await assert.rejects(running, /enough/)
  await assert.rejects(run(['status']), /enough/)
})

test('a cancelled `git add --all` of a sparse file of 4 GB ends before it is done', async (t) => {
  const box = sandbox(t)
  box.write({ 'sparse.bin': '' })
  truncateSync(join(box.repository, 'sparse.bin'), 2 ** 32)
  const controller = new AbortController()
  const running = runCancellable(controller.signal, () => runGit(box.repository, ['add', '--all']))
  running.catch(() => undefined)
  await until('git adds', () => existsSync(join(box.repository, '.git/index.lock')))
  controller.abort(new Error('enough'))
  await assert.rejects(running, /enough/)
  assert.equal(box.git(['ls-files', 'sparse.bin']), '')
})

test('a git command that does not end on INT is killed', { skip: process.platform !== 'linux' }, async (t) => {
  const box = sandbox(t)
  const name = `sparse.${process.pid}.bin`
  box.write({ [name]: '' })
  truncateSync(join(box.repository, name), 2 ** 32)
  const controller = new AbortController()
  const findGit = () => listPids().find((pid) => readProcFile(pid, 'cmdline')?.endsWith(`\0${name}\0`))
  const running = runCancellable(controller.signal, () => runGit(box.repository, ['add', '--', name]))
  running.catch(() => undefined)
  await until('git adds', () => existsSync(join(box.repository, '.git/index.lock')))
  // A stopped process with a handler for INT gets the signal only when it goes on.
  const pid = findGit()!
  process.kill(pid, 'SIGSTOP')
  await until('git is stopped', () => readProcFile(pid, 'stat')?.includes(') T ') === true)
  controller.abort(new Error('enough'))
  await assert.rejects(running, /enough/)
  assert.equal(findGit(), undefined)
})
