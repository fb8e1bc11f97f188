// A helper process: it answers, it waits when cancelled, and neither its end nor ours leaves anything hanging.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { createHelperProcess } from '../../../../src/platform/processes/helper/helper-process.ts'
import { isRunning, readProcessIdentity } from '../../../../src/platform/processes/process-identity.ts'
import { until } from '../../../support/until.ts'

const HELPER = join(import.meta.dirname, '../../../../src/platform/processes/helper/helper-process.ts')

/** Doubles a number, tells its own id, fails, or waits until it is cancelled. */
const SCRIPT = `
import { serveRequests } from ${JSON.stringify(HELPER)}
serveRequests(async (request, signal) => {
  if (request === 'pid') return process.pid
  if (request === 'fail') throw new Error('no such thing')
  if (request !== 'wait') return request * 2
  await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
  return 'waited'
})
`

function setHelper(t: TestContext, options: { readonly idleMs?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-helper-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const script = join(folder, 'script.ts')
  writeFileSync(script, SCRIPT)
  const helper = createHelperProcess<unknown, unknown>(script, options)
  t.after(helper.stop)
  return { helper, script, folder }
}

test('each request gets its own answer, many at a time, from one process', async (t) => {
  const { helper } = setHelper(t)
  const numbers = Array.from({ length: 50 }, (_, number) => number)
  assert.deepEqual(
    await Promise.all(numbers.map((number) => helper.ask(number))),
    numbers.map((number) => number * 2),
  )
  assert.equal(await helper.ask('pid'), await helper.ask('pid'))
  await assert.rejects(helper.ask('fail'), /^Error: no such thing$/)
})

test('a cancelled request is answered when what it asked for is over; one that is cancelled already is not asked', async (t) => {
  const { helper } = setHelper(t)
  const controller = new AbortController()
  const waiting = helper.ask('wait', controller.signal)
  await helper.ask(1)
  controller.abort()
  assert.equal(await waiting, 'waited')
  await assert.rejects(helper.ask('wait', controller.signal), { name: 'AbortError' })
})

test('where it ends, what it had under way fails with the reason, and the next request starts another', async (t) => {
  const { helper } = setHelper(t)
  const pid = Number(await helper.ask('pid'))
  const waiting = assert.rejects(
    helper.ask('wait'),
    /no answer from the helper process .*script\.ts: it ended \(SIGKILL\)/,
  )
  process.kill(pid, 'SIGKILL')
  await waiting
  assert.notEqual(await helper.ask('pid'), pid)
})

test('it begins with the first request, ends when none came for a while, and the next request starts another', async (t) => {
  const { helper } = setHelper(t, { idleMs: 1 })
  const waiting = helper.ask('wait', AbortSignal.timeout(300))
  const pid = Number(await helper.ask('pid'))
  const first = readProcessIdentity(pid)
  assert.equal(await waiting, 'waited', 'what is under way keeps it')
  await until('the idle helper is gone', () => first === undefined || !isRunning(first))
  assert.notEqual(await helper.ask('pid'), pid)
})

test('it ends when we are killed, and leaves us when we have nothing else to do', async (t) => {
  const { script, folder } = setHelper(t)
  const main = join(folder, 'main.ts')
  writeFileSync(
    main,
    `import { createHelperProcess } from ${JSON.stringify(HELPER)}
    const helper = createHelperProcess(${JSON.stringify(script)})
    console.log(await helper.ask('pid'))
    if (process.argv[2] === 'stay') await helper.ask('wait')`,
  )
  for (const how of ['stay', 'leave']) {
    const child = spawn(process.execPath, [main, how], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(createInterface(child.stdout), 'line')
    const helper = readProcessIdentity(Number(line))
    // One that leaves with us may be gone before we look.
    assert.ok(helper !== undefined || how === 'leave')
    const exit = once(child, 'exit')
    if (how === 'stay') child.kill('SIGKILL')
    await exit
    await until('the helper is gone', () => helper === undefined || !isRunning(helper))
  }
})
