// The hunt for credentials finds each place where one could lie, or it would prove nothing.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { repositoryOf, setStage } from '../support/session.ts'
import { startTokenHunt } from '../support/token-hunt.ts'
import { until } from '../support/until.ts'

const SECRET = 'ghp_planted0123456789abcdefghijklmnop+/='

test('a credential is found in files, packed, in base64 and in an address; in arguments and environments; where it was sent; and in histories', async (t) => {
  const stage = await setStage(t, { repository: repositoryOf({ 'a.txt': 'a\n' }) })
  const clean = await startTokenHunt(t, stage, { secrets: [SECRET] })
  await clean.end()

  const hunt = await startTokenHunt(t, stage, { secrets: [SECRET], holders: [join(stage.folder, 'given')] })
  writeFileSync(join(stage.folder, 'given'), SECRET)
  const home = stage.home.path
  mkdirSync(home, { recursive: true })
  const planted = {
    plain: `token: ${SECRET}\n`,
    packed: gzipSync(`token: ${SECRET}\n`),
    basic: `Basic ${Buffer.from(`x-access-token:${SECRET}`).toString('base64')}`,
    basic2: `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`,
    basic3: `Basic ${Buffer.from(`you:${SECRET}:more`).toString('base64')}`,
    address: `https://x:${encodeURIComponent(SECRET)}@localhost/`,
  }
  for (const [name, content] of Object.entries(planted)) writeFileSync(join(home, name), content)
  writeFileSync(join(stage.repository, 'loose'), SECRET)
  stage.git('hash-object', '-w', 'loose')
  const loose = stage.git(
    'rev-parse',
    '--git-path',
    `objects/${stage.git('hash-object', 'loose').replace(/^(..)/, '$1/')}`,
  )

  const wait = 'setInterval(() => {}, 1000)'
  const options = { cwd: stage.folder, stdio: 'ignore' } as const
  const inArguments = spawn(process.execPath, ['-e', wait, SECRET], options)
  const inEnvironment = spawn(process.execPath, ['-e', wait], { ...options, env: { ...process.env, LEAK: SECRET } })
  // The one variable of the push, with somebody else.
  const PUSH = { FIXWRIGHT_PUSH_PASSWORD: SECRET }
  const inAgent = spawn(process.execPath, ['-e', wait], { ...options, env: { ...process.env, ...PUSH } })
  const children = [inArguments, inEnvironment, inAgent]
  t.after(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const before = hunt.sampled().times
  await until('the process table was looked at', () => hunt.sampled().times > before + 3)
  for (const child of children) child.kill('SIGKILL')

  const proxy = stage.git('config', 'http.proxy')
  await fetch(`${proxy}/anything`)
  const workflowId = `hunted-${process.pid}`
  const { getTaskQueues } = await import('../../src/runtime/instance/instance-file.ts')
  const { taskQueue } = getTaskQueues(stage.home, { task_queue: null }, { embedded: false })
  const { workflow } = await stage.client()
  await workflow.start('nobody', { workflowId, taskQueue, args: [{ token: SECRET }] })
  stage.beforeEnd(async () => void (await workflow.getHandle(workflowId).terminate()))
  await until('Temporal lists it', async () => {
    for await (const { workflowId: listed } of workflow.list({ query: `TaskQueue = '${taskQueue}'` }))
      if (listed === workflowId) return true
    return false
  })
  await assert.rejects(hunt.end(), (error: Error) => {
    for (const place of [...Object.keys(planted).map((name) => `home/${name}`), `repository/${loose}`])
      assert.ok(error.message.includes(place), `${place} is found`)
    assert.match(error.message, /the arguments of /)
    assert.match(error.message, /the variable LEAK of /)
    assert.match(error.message, /the variable FIXWRIGHT_PUSH_PASSWORD of /)
    assert.match(error.message, /a host beside the real one: GET \/anything/)
    assert.match(error.message, new RegExp(`the history of ${workflowId}`))
    assert.ok(!error.message.includes('the file given'))
    return true
  })
})
