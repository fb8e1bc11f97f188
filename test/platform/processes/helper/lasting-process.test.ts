// A program that answers many requests: one at a time, from one process, which ends when nobody asks.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLastingProcesses } from '../../../../src/platform/processes/helper/lasting-process.ts'
import { isRunning, readProcessIdentity } from '../../../../src/platform/processes/process-identity.ts'
import { until } from '../../../support/until.ts'

/** Prints its id and what it read, and hangs or dies when told to. */
const PROGRAM = `
const lines = require('node:readline').createInterface({ input: process.stdin })
let hangs = false
lines.on('line', (line) => {
  if (line === 'die') process.exit(1)
  if (line === 'hang') hangs = true
  if (hangs) return
  process.stdout.write(line === 'pid' ? process.pid + '\\n' : line + '\\n')
})
`

function request(line: string, key = 'one') {
  return {
    ...{ key, command: process.execPath, args: ['-e', PROGRAM], env: {} },
    input: `${line}\nthe end\n`,
    ending: 'the end\n',
  }
}

test('requests are answered in turn, by one process a key', async () => {
  const { ask } = createLastingProcesses({ idleMs: 50 })
  const lines = Array.from({ length: 20 }, (_, number) => `${number}`)
  const answers = await Promise.all(lines.map((line) => ask(request(line))))
  assert.deepEqual(
    answers.map(String),
    lines.map((line) => `${line}\n`),
  )
  const [one, again, other] = await Promise.all([
    ask(request('pid')),
    ask(request('pid')),
    ask(request('pid', 'other')),
  ])
  assert.equal(String(one), String(again))
  assert.notEqual(String(one), String(other))
})

test('an answer of many bytes is whole', async () => {
  const { ask } = createLastingProcesses({ idleMs: 50 })
  const line = 'x'.repeat(3_000_000)
  assert.equal(String(await ask(request(line))), `${line}\n`)
})

test('it ends when nobody has asked for a while, and after many requests', async () => {
  const { ask } = createLastingProcesses({ idleMs: 20, maxRequests: 2 })
  const pids = [await ask(request('pid')), await ask(request('pid')), await ask(request('pid'))].map(Number)
  assert.equal(pids[0], pids[1])
  assert.notEqual(pids[1], pids[2])
  await until('they have ended', () => pids.every((pid) => !isAlive(pid)))
})

test('the one that was asked least lately makes room for another', async () => {
  const { ask } = createLastingProcesses({ idleMs: 60_000, maxProcesses: 2 })
  const pidOf = async (key: string) => Number(await ask(request('pid', key)))
  const [first, second] = [await pidOf('first'), await pidOf('second')]
  assert.equal(await pidOf('first'), first)
  const third = await pidOf('third')
  await until('the second has ended', () => !isAlive(second))
  assert.deepEqual([isAlive(first), isAlive(third)], [true, true])
})

test('its end is no answer, for all who wait; the next request starts another', async () => {
  const { ask } = createLastingProcesses({ idleMs: 50 })
  assert.deepEqual(await Promise.all([ask(request('die')), ask(request('waits'))]), [undefined, undefined])
  assert.equal(String(await ask(request('again'))), 'again\n')
  assert.equal(await ask({ ...request('x', 'none'), command: '/nowhere/program' }), undefined)
})

test('a cancelled request ends the process that does not answer', async () => {
  const { ask } = createLastingProcesses()
  const cancellation = new AbortController()
  const pid = Number(await ask(request('pid')))
  const hanging = ask(request('hang'), cancellation.signal)
  await setImmediate()
  cancellation.abort()
  assert.equal(await hanging, undefined)
  await until('it has ended', () => !isAlive(pid))
})

test('nothing outlives the process that asked, even after kill -9', async (t) => {
  const module = join(import.meta.dirname, '../../../../src/platform/processes/helper/lasting-process.ts')
  const script = `
    import { createLastingProcesses } from ${JSON.stringify(module)}
    const { ask } = createLastingProcesses({ idleMs: 600_000 })
    const request = ${JSON.stringify(request('pid'))}
    process.stdout.write(String(await ask(request)))
    setInterval(() => {}, 1_000)
  `
  const owner = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => owner.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string]
  const identity = readProcessIdentity(Number(line))
  assert.ok(identity && isRunning(identity))
  owner.kill('SIGKILL')
  await until('it has ended', () => !isRunning(identity))
})

function isAlive(pid: number): boolean {
  return readProcessIdentity(pid) !== undefined
}
