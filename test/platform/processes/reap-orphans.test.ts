import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { findMarkedProcesses, formatMarker } from '../../../src/platform/processes/marked-processes.ts'
import { readProcessIdentity } from '../../../src/platform/processes/process-identity.ts'
import { reapMarked } from '../../../src/platform/processes/reap-marked.ts'
import { reapOrphans, removeMarkerFile, writeMarkerFile } from '../../../src/platform/processes/reap-orphans.ts'
import { until } from '../../support/until.ts'

let folder: string
const children: ChildProcess[] = []
const session = `orphans-${process.pid}`

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixwright-orphans-'))
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await reapMarked(session, { graceMs: 0 })
  await rm(folder, { recursive: true, force: true })
})

test('a successor ends what a killed worker left running, and only that', async () => {
  const dead = await startWorker(`${session}/dead`)
  const alive = await startWorker(`${session}/alive`)
  dead.kill('SIGKILL')
  await once(dead, 'exit')
  assert.ok(findMarkedProcesses(`${session}/dead`).length >= 2, 'killing the worker alone leaves its processes')

  const ended = await reapOrphans(join(folder, 'markers'), { graceMs: 100 })
  assert.ok(ended.length >= 2)
  assert.deepEqual(findMarkedProcesses(`${session}/dead`), [])
  assert.ok(findMarkedProcesses(`${session}/alive`).length >= 2, "a live worker's processes are left alone")
  assert.equal((await readdir(join(folder, 'markers'))).length, 1)
  assert.deepEqual(await reapOrphans(join(folder, 'markers')), [], 'a second look finds nothing')
  alive.kill('SIGKILL')
})

test('a folder that is not there has no orphans', async () => {
  assert.deepEqual(await reapOrphans(join(folder, 'none')), [])
})

test('writing a marker twice leaves one file, removing it twice is no error', async () => {
  const file = await writeMarkerFile(folder, `${session}/x`)
  assert.equal(await writeMarkerFile(folder, `${session}/x`), file)
  assert.equal((await readdir(folder)).length, 1)
  await removeMarkerFile(file)
  await removeMarkerFile(file)
  assert.deepEqual(await readdir(folder), [])
})

test('a marker finds what lies below it and not what merely begins alike', async () => {
  const child = spawn('sleep', ['97'], {
    env: { PATH: process.env.PATH, FIXWRIGHT_CALL: formatMarker(`${session}-12`, 'fix-1', 1, 'n') },
  })
  children.push(child)
  await once(child, 'spawn')
  await until('the tool runs', () => findMarkedProcesses(`${session}-12`).length === 1)
  assert.equal(findMarkedProcesses(`${session}-12/fix-1/1/n`).length, 1)
  assert.equal(findMarkedProcesses(`${session}-12/fix-1/`).length, 1)
  assert.deepEqual(findMarkedProcesses(`${session}-1`), [])
  assert.deepEqual(findMarkedProcesses(`${session}-12/fix-1/1/other`), [])
  assert.throws(() => findMarkedProcesses(''), /every session/)
})

test('a whole group goes with its marked member, also who dropped the marker', async () => {
  const child = spawn('sh', ['-c', 'env -i sleep 97 & echo $!; wait'], {
    env: { PATH: process.env.PATH, FIXWRIGHT_CALL: `${session}/group` },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  await reapMarked(`${session}/group`, { graceMs: 100 })
  assert.equal(readProcessIdentity(Number(line.toString())), undefined)
})

/** A worker that runs a command as ours do, without a namespace: what is left is what the marker has to find. */
async function startWorker(marker: string): Promise<ChildProcess> {
  const script = `
    import { writeMarkerFile } from ${JSON.stringify(new URL('../../../src/platform/processes/reap-orphans.ts', import.meta.url).href)}
    import { runProcess } from ${JSON.stringify(new URL('../../../src/platform/processes/run-process.ts', import.meta.url).href)}
    const folder = ${JSON.stringify(folder)}
    await writeMarkerFile(folder + '/markers', ${JSON.stringify(marker)})
    await runProcess({
      command: 'sh', args: ['-c', 'setsid sleep 97 & sleep 96 & wait'], cwd: folder, env: process.env, input: '',
      stdoutFile: folder + '/out', stderrFile: folder + '/err', deadlineMs: 60000, graceMs: 100,
      signal: new AbortController().signal, marker: ${JSON.stringify(`${marker}/1/n`)}, pidNamespace: 'off',
    })`
  const worker = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(worker)
  await until('the worker and its tools run', () => findMarkedProcesses(marker).length >= 3)
  return worker
}
