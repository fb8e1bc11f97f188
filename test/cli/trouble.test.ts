// A workflow whose task fails again and again writes no event: only Temporal knows, and the commands have to ask.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import { bundleWorkflowCode } from '@temporalio/worker'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { joinInstance } from '../../src/runtime/instance/join-instance.ts'
import { loadSettings } from '../../src/runtime/settings/merge-settings.ts'
import { sharedTemporal } from '../support/temporal.ts'
import { until } from '../support/until.ts'

import { addSession, setDesk } from './support.ts'

test('a workflow task that fails again and again is shown by status and watch within 10 s', async (t) => {
  const desk = await setDesk(t)
  const { address, namespace } = await sharedTemporal()
  const env = { PATH: process.env.PATH, HOME: desk.folder, TMPDIR: desk.folder }
  const { settings } = loadSettings({ home: desk.home, env, flags: { 'temporal.address': address } })
  // A worker that does not know the workflow: each of its tasks fails.
  const bundle = join(desk.folder, 'workflows.js')
  const support = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url))
  writeFileSync(bundle, (await bundleWorkflowCode({ workflowsPath: support('instance-workflows.ts') })).code)
  const joined = await joinInstance({
    home: desk.home,
    settings,
    env: { ...env, FIXWRIGHT_TEST_BUNDLE: bundle },
    kind: 'command',
    onStep: () => {},
    workerModule: support('instance-worker.ts'),
  })
  const connection = await Connection.connect({ address })
  await addSession(desk, 'fx-bad', ['A'], { settings: { ...settings } })
  const started = performance.now()
  const handle = await new Client({ connection, namespace }).workflow.start('fixSession', {
    workflowId: 'fix-fx-bad',
    taskQueue: joined.taskQueue,
    memo: { sessionId: 'fx-bad' },
    args: [{ sessionId: 'fx-bad' }],
  })
  const watch = spawn(join(packageRoot(), 'bin/fixwright'), ['watch', 'fx-bad'], {
    env: { ...env, FIXWRIGHT_HOME: desk.home.path },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  desk.beforeEnd(async () => {
    watch.kill('SIGKILL')
    await handle.terminate()
    await connection.close()
    joined.leave()
    await until('the instance is gone', () => findLiveInstance(desk.home) === undefined && !joined.isAlive())
  })
  let said = ''
  watch.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })

  await until('status tells', async () => {
    const { health } = JSON.parse((await desk.run('status', 'fx-bad', '--json')).stdout)
    assert.equal(health.worker, 'running')
    return /its workflow task has failed \d+ time/.test(health.problem ?? '')
  })
  await until('watch tells', () => /its workflow task has failed/.test(said))
  const took = performance.now() - started
  const asked = performance.now()
  assert.match((await desk.run('status', 'fx-bad')).stdout, /trouble +its workflow task has failed/)
  // A status takes less than half a second; on a machine that is busy with other things all takes longer.
  const slowness = Math.max(1, (performance.now() - asked) / 500)
  assert.ok(took < 10_000 * slowness, `it took ${Math.round(took)} ms`)
})
