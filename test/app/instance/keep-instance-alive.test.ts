import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { AppContext } from '../../../src/app/context.ts'
import type { InstanceLink } from '../../../src/app/instance/instance-link.ts'
import { keepInstanceAlive } from '../../../src/app/instance/keep-instance-alive.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { temporaryFolder } from '../../store/support.ts'
import { DEFAULT_SETTINGS as settings } from '../../support/store.ts'

test('a session that Temporal does not start is told of once, and given back after two minutes', async (t) => {
  const home = openHome({ FIXWRIGHT_HOME: temporaryFolder(t) })
  writeFileSync(home.database, '')
  const instance = { lost: new AbortController().signal, isServing: () => true }
  const health = async () => ({ kind: 'unstarted', problem: 'the memo is too large' })
  const link = { instance, health } as unknown as InstanceLink
  const told: string[] = []
  let now = 0
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const app = { home, instance: { reach: async () => link }, onProgress: (text: string) => told.push(text) }
  const kept = await keepInstanceAlive(app as unknown as AppContext, { workflowId: 'w', settings })
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; now += 3_000) {
      t.mock.timers.tick(3_000)
      await turn()
    }
  }
  await pass(120_000)
  assert.equal(kept.hopeless.aborted, false)
  await pass(6_000)
  kept.stop()
  assert.equal(kept.hopeless.reason.code, 'temporal_unreachable')
  assert.match(
    kept.hopeless.reason.message,
    /the memo is too large\. The session is kept for a day, and starts as soon as/,
  )
  assert.equal(told.length, 1)
})
