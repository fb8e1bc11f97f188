// The sessions that commands put down are started, whoever of command and instance dies between. Real store and Temporal; no worker is
// needed.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { Client, Connection } from '@temporalio/client'
import { startSessionWorkflow } from '../../../src/client/session-workflow.ts'
import { createLogger, type Logger } from '../../../src/platform/logging/logger.ts'
import { createMasking } from '../../../src/platform/masking/mask-secrets.ts'
import { type StartingSessions, startWaitingSessions } from '../../../src/runtime/worker/start-sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { temporaryStore } from '../../store/support.ts'
import { insertSession, newSession } from '../../support/store.ts'
import { sharedTemporal, temporaryFolder } from '../../support/temporal.ts'
import { until } from '../../support/until.ts'

const LOG = createLogger({ masking: createMasking({}), fd: 2 })

async function setHome(t: TestContext) {
  const { address, namespace } = await sharedTemporal()
  const connection = await Connection.connect({ address })
  const client = new Client({ connection, namespace })
  let clock = () => new Date()
  const store = await temporaryStore(t, { now: () => clock() })
  const { path: folder, remove } = temporaryFolder('sessions')
  const queues = { taskQueue: `nobody-${randomUUID()}`, hostQueue: 'nobody', attributes: [] }
  const begun: StartingSessions[] = []
  const workflows: string[] = []
  t.after(async () => {
    for (const starting of begun) await starting.end()
    for (const id of workflows)
      await client.workflow
        .getHandle(id)
        .terminate('the test is over')
        .catch(() => undefined)
    await connection.close()
    remove()
  })
  return {
    client,
    store,
    queues,
    /** How long ago it is for the store. */
    turnBack: (hours: number) => {
      clock = () => new Date(Date.now() - hours * 3_600_000)
    },
    async putDown(id: string) {
      const workflow_id = `fix-session/${randomUUID()}`
      workflows.push(workflow_id)
      return await insertSession(store, newSession(id, { workflow_id }))
    },
    runOf: async (id: string) => (await store.sessions.get(id))?.run_id,
    statusOf: async (id: string) => (await client.workflow.getHandle(id).describe()).status.name,
    begin(over: { readonly store?: Store; readonly client?: Client; readonly log?: Logger } = {}): StartingSessions {
      const starting = startWaitingSessions({ home: { sessions: folder }, store, client, log: LOG, ...queues, ...over })
      begun.push(starting)
      return starting
    },
  }
}

test('a session whose command was killed once it was in the store is started by the instance, and by the next one too late', async (t) => {
  const home = await setHome(t)
  const { workflow_id } = await home.putDown('s1')
  const starting = home.begin()
  await until('it has a run', async () => (await home.runOf('s1')) !== undefined)
  const { runId } = await home.client.workflow.getHandle(workflow_id).describe()
  assert.equal(await home.runOf('s1'), runId)
  assert.equal(await home.begin().start('s1'), true)
  assert.equal((await home.client.workflow.getHandle(workflow_id).describe()).runId, runId)
  await home.putDown('s2')
  assert.deepEqual(await Promise.all([starting.start('s2'), starting.start('s2')]), [true, true])
  assert.ok(await home.runOf('s2'))
})

test('a workflow whose starter was killed before it told the store is the session’s, also after its end', async (t) => {
  const home = await setHome(t)
  const session = await home.putDown('s1')
  const started = await startSessionWorkflow(home.client, {
    ...{ sessionId: 's1', session, findings: [] },
    instance: home.queues,
  })
  assert.ok(started.kind === 'started')
  await home.client.workflow.getHandle(session.workflow_id).terminate('from outside')
  assert.equal(await home.begin().start('s1'), true)
  assert.equal(await home.runOf('s1'), started.runId)
})

test('a session that is given up while it starts gets no workflow', async (t) => {
  const home = await setHome(t)
  const { workflow_id } = await home.putDown('s1')
  const client = new Proxy(home.client, {
    get: (real, name) => {
      if (name !== 'workflow') return Reflect.get(real, name)
      void home.store.sessions.discardUnstarted('s1')
      return real.workflow
    },
  })
  assert.equal(await home.begin({ client }).start('s1'), false)
  assert.equal(await home.statusOf(workflow_id), 'TERMINATED')
  assert.equal(await home.begin().start('s1'), false)
})

test('a server that can’t be reached is tried again, why is known meanwhile, and logged once', async (t) => {
  const home = await setHome(t)
  const { workflow_id } = await home.putDown('s1')
  let isGone = true
  const known: (string | undefined)[] = []
  const client = new Proxy(home.client, {
    get: (real, name) => {
      if (isGone) {
        known.push(starting?.findProblem(workflow_id))
        throw new Error('the server is gone')
      }
      return Reflect.get(real, name)
    },
  })
  const warned: string[] = []
  let starting: StartingSessions | undefined
  starting = home.begin({ client, log: { ...LOG, warn: (message) => void warned.push(message) } })
  await until('it was tried thrice', () => known.length === 3)
  assert.deepEqual(known.slice(1), ['the server is gone', 'the server is gone'])
  assert.equal(warned.length, 1)
  isGone = false
  await until('it has a run', async () => (await home.runOf('s1')) !== undefined)
  await until('the reason is gone', () => starting?.findProblem(workflow_id) === undefined)
})

test('a session that nobody started for a day is closed, and one that was is taken on', async (t) => {
  const home = await setHome(t)
  home.turnBack(25)
  const late = await home.putDown('late')
  const known = await home.putDown('known')
  await startSessionWorkflow(home.client, { sessionId: 'known', session: known, findings: [], instance: home.queues })
  home.turnBack(23)
  await home.putDown('young')
  home.turnBack(0)
  const starting = home.begin()
  await until('the late one has ended', async () => (await home.store.sessions.get('late'))?.ended_at !== undefined)
  await until('the others have a run', async () => {
    return (await Promise.all(['known', 'young'].map(home.runOf))).every((run) => run !== undefined)
  })
  const { status, ending } = (await home.store.sessions.get('late'))!
  assert.deepEqual([status, ending?.class], ['failed', 'infrastructure'])
  assert.match(`${ending?.reason}`, /did not begin it within a day: the same command starts it anew$/)
  await assert.rejects(home.statusOf(late.workflow_id), /not found/i)
  assert.equal(await starting.start('late'), false)
  assert.equal(await starting.start('known'), true)
})
