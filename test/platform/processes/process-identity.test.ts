import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  endProcess,
  isRunning,
  readOwnIdentity,
  readProcessIdentity,
  waitUntilGone,
} from '../../../src/platform/processes/process-identity.ts'
import { until } from '../../support/until.ts'

test('a running process has an identity, and keeps it', () => {
  const first = readOwnIdentity()
  assert.equal(first.pid, process.pid)
  assert.deepEqual(readProcessIdentity(process.pid), first)
  assert.ok(isRunning(first))
})

test('a pid that nobody has, or that can be none, has no identity', () => {
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 22 + 7]) assert.equal(readProcessIdentity(pid), undefined)
})

test('the same pid with another start time or another boot is another process', () => {
  const own = readOwnIdentity()
  assert.equal(isRunning({ ...own, startedAt: '1' }), false)
  assert.equal(isRunning({ ...own, boot: 'another boot' }), false)
})

test('a process that ends stops running, also while its exit status is unread', async () => {
  // The shell never waits for its child, so that the child stays a zombie until the shell ends.
  const shell = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(shell.stdout!, 'data')) as [Buffer]
  const zombie = Number(line.toString())
  try {
    if (process.platform === 'linux')
      await until('it is a zombie', () => readFileSync(`/proc/${zombie}/stat`, 'latin1').includes(') Z '))
    assert.equal(readProcessIdentity(zombie), undefined)
  } finally {
    await killed(shell)
  }
})

test('a name with brackets and spaces does not confuse the start time', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'process.title = "a) Z 1 (b"; console.log(1); setInterval(() => {}, 1e6)',
  ])
  try {
    await once(child.stdout!, 'data')
    const identity = readProcessIdentity(child.pid!)!
    assert.match(identity.startedAt, process.platform === 'linux' ? /^\d+$/ : /\d/)
    assert.ok(isRunning(identity))
  } finally {
    await killed(child)
  }
})

test('a polite process is ended by TERM', async () => {
  const child = spawn('sleep', ['60'])
  const exit = once(child, 'exit')
  assert.equal(await endProcess(readProcessIdentity(child.pid!)!, { graceMs: 5_000 }), true)
  assert.deepEqual(await exit, [null, 'SIGTERM'])
})

test('a process that ignores TERM is ended by KILL after the grace', async () => {
  const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], { detached: true })
  await once(child.stdout!, 'data')
  const exit = once(child, 'exit')
  const identity = readProcessIdentity(child.pid!)!
  assert.equal(await endProcess(identity, { graceMs: 50, group: true }), true)
  assert.deepEqual(await exit, [null, 'SIGKILL'])
  assert.equal(await endProcess(identity, { graceMs: 0 }), true, 'ending it again is no error')
})

test('a process that took over the pid is left alone', async () => {
  const child = spawn('sleep', ['60'])
  try {
    const identity = readProcessIdentity(child.pid!)!
    assert.equal(await endProcess({ ...identity, startedAt: '1' }, { graceMs: 0 }), true)
    assert.ok(isRunning(identity))
    assert.equal(await waitUntilGone(identity, 10), false)
  } finally {
    await killed(child)
  }
})

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
