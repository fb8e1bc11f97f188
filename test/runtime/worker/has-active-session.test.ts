// Whether an instance that nobody uses may stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Connection } from '@temporalio/client'
import { openHome } from '../../../src/runtime/home/home.ts'
import type { WorkerContext } from '../../../src/runtime/instance/connect-worker.ts'
import { hasActiveSession } from '../../../src/runtime/worker/worker.ts'
import { sharedTemporal, temporaryFolder } from '../../support/temporal.ts'

test('hasActiveSession: an idle home is not busy; one whose workflows can’t be counted is', async (t) => {
  const { path, remove } = temporaryFolder('home')
  t.after(remove)
  const { address, namespace } = await sharedTemporal()
  const connection = await Connection.connect({ address })
  const context = { home: openHome({ FIXWRIGHT_HOME: path }), connection, namespace, taskQueue: 'nobody' }
  const isBusy = () => hasActiveSession(context as unknown as WorkerContext)
  assert.equal(await isBusy(), false)
  await connection.close()
  assert.equal(await isBusy(), true)
})
