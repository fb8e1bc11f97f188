// What a start does where something happens between its looking and its beginning. Real store, git and Temporal; no worker is needed.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import type { AppContext } from '../../../src/app/context.ts'
import type { InstanceConnection } from '../../../src/app/instance/instance-link.ts'
import { createClientLink } from '../../../src/app/instance/instance-link.ts'
import { startOrJoinSession } from '../../../src/app/start/start-session.ts'
import { describeWorkflow, readSessionMemo } from '../../../src/client/describe-workflow.ts'
import type { FixSessionResult } from '../../../src/domain/session/session.ts'
import { prepareSession, type StartInput } from '../../../src/preflight/check-start.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { setOrder } from '../../runtime/support.ts'
import { sharedTemporal } from '../../support/temporal.ts'

async function setDesk(t: TestContext) {
  const { env, order: plain, ...desk } = setOrder(t)
  const home = openHome(env)
  const store = await openStore(home.database)
  const { address, namespace } = await sharedTemporal()
  const connection = await Connection.connect({ address })
  const client = new Client({ connection, namespace })
  // Anything that is there: no agent is called.
  const order: StartInput = { ...plain, flags: { 'claude.command': 'sh', 'gemini.command': 'sh' } }
  const said: string[] = []
  const prepared = await prepareSession(order, home, env, store)
  assert.ok(prepared.kind === 'ready')
  const { session } = prepared
  const findRunning = async (workflowId: string): Promise<string | undefined> => {
    const found = await describeWorkflow(client, workflowId)
    return found?.status.name === 'RUNNING' ? readSessionMemo(found) : undefined
  }
  t.after(async () => {
    for (const { workflow_id } of await store.sessions.list()) {
      if (await findRunning(workflow_id)) await client.workflow.getHandle(workflow_id).terminate('the test is over')
    }
    await connection.close()
    await store.close()
  })
  return {
    ...desk,
    store,
    session,
    said,
    /** The session that Temporal runs under the workflow id of this one. */
    running: async (id: string) => findRunning((await store.sessions.get(id))?.workflow_id ?? ''),
    /** Puts down a session of this work, as another start does; what is asked for after that is asked for later. */
    other: async (id: string) => {
      const workflow_id = `fix-session/${randomUUID()}`
      await store.createSession({ ...session, session_id: id, workflow_id, branch_name: 'fix/it' }, prepared.findings)
      for (const begun = Date.now(); Date.now() === begun; ) await setImmediate()
    },
    /** `meanwhile`: after everything was looked at, before anything is written. */
    begin: (
      meanwhile: () => Promise<void> = async () => undefined,
      { force, over = store }: { readonly force?: boolean; readonly over?: Store } = {},
    ) => {
      const connected = {
        client,
        instance: { taskQueue: `nobody-${randomUUID()}`, attributes: [] },
        reconcile: async () => undefined,
        close: () => undefined,
      } as unknown as InstanceConnection
      const unreachable = () => Promise.reject(new Error('a start needs a client'))
      let reached: Promise<InstanceConnection> | undefined
      const connect = () => (reached ??= meanwhile().then(() => connected))
      const instance = {
        ...{ connect, current: () => connected, close: () => undefined },
        ...{ join: unreachable, rejoin: unreachable, replace: unreachable, joined: () => undefined },
        reach: async () => createClientLink(await connect(), over),
        reconcile: async () => createClientLink(await connect(), over),
      }
      const sender = { by: 'kim', from: 'a test' }
      const onProgress = (text: string) => void said.push(text)
      const app: AppContext = {
        home,
        env,
        flags: {},
        store: over,
        instance,
        sender,
        onProgress,
        close: async () => undefined,
      }
      return startOrJoinSession(app, order, { force })
    },
  }
}

test('a session that ends while the next start of its work looks around is not begun upon as it was: its branch has moved', async (t) => {
  const desk = await setDesk(t)
  await desk.other('s1')
  desk.git(['branch', 'fix/it'])
  const begun = await desk.begin(async () => {
    desk.git(['checkout', '-q', 'fix/it'])
    desk.git(['commit', '-q', '--allow-empty', '-m', 'its last'])
    desk.git(['checkout', '-q', 'main'])
    await desk.store.sessions.update('s1', { status: 'partial' })
  })
  assert.ok(begun.kind === 'started')
  assert.equal((await desk.store.sessions.get(begun.sessionId))?.base_commit, desk.git(['rev-parse', 'fix/it']))
  assert.equal((await desk.store.sessions.list()).length, 2)
})

test('a session that succeeds while the next start of its work looks around is the answer to that start [S2-32]', async (t) => {
  const desk = await setDesk(t)
  await desk.other('s1')
  const { repository, task_id } = desk.session
  const result: FixSessionResult = {
    ...{ session_id: 's1', repository_id: repository, task_id, branch_name: null, status: 'completed' },
    ...{ issues_requested: 1, issues_fixed: 1, issues_failed: 0, issues_skipped: 0 },
    ...{ results: [], commits: [], cost_usd: 0, duration_ms: 0 },
  }
  const begun = await desk.begin(async () => {
    await desk.store.sessions.update('s1', { status: 'completed', result })
  })
  assert.deepEqual(begun, { kind: 'done', result })
  assert.equal((await desk.store.sessions.list()).length, 1)
})

test('a session whose starter was killed before its workflow ran is started by whoever joins it [S2-32]', async (t) => {
  const desk = await setDesk(t)
  await desk.other('s1')
  const begun = await desk.begin()
  assert.deepEqual([begun.kind, 'sessionId' in begun && begun.sessionId], ['joined', 's1'])
  assert.equal(await desk.running('s1'), 's1')
  assert.ok((await desk.store.sessions.get('s1'))?.run_id)
  assert.deepEqual(await desk.begin().then((again) => again.kind), 'joined')
  assert.equal((await desk.store.sessions.list()).length, 1)
})

test('what a repository has come to want stops a new session, not who joins the one that is at the work', async (t) => {
  const desk = await setDesk(t)
  desk.write({ '.fixwright.yaml': 'verification: { commands: ["npm test"] }\n', '.husky/pre-commit': 'exit 1\n' })
  desk.git(['add', '.'])
  desk.git(['commit', '-q', '-m', 'more'])
  const refused = await desk.begin()
  assert.ok(refused.kind === 'refused')
  assert.equal(refused.problems.length, 3)
  assert.deepEqual(await desk.store.sessions.list(), [])
  await desk.other('s1')
  const begun = await desk.begin()
  assert.deepEqual([begun.kind, 'sessionId' in begun && begun.sessionId], ['joined', 's1'])
  assert.equal((await desk.begin(undefined, { force: true })).kind, 'refused')
})

test('a session whose starter was killed before its workflow ran is forgotten by a forced start', async (t) => {
  const desk = await setDesk(t)
  await desk.other('s1')
  const begun = await desk.begin(undefined, { force: true })
  assert.ok(begun.kind === 'started')
  assert.deepEqual(
    (await desk.store.sessions.list()).map(({ session_id }) => session_id),
    [begun.sessionId],
  )
})

test('a start that was taken for a killed one, and is not, begins again', async (t) => {
  const desk = await setDesk(t)
  let forgotten: string | undefined
  const begun = await desk.begin(undefined, {
    // Between the row and the workflow: the first thing that the start itself writes after its look for others.
    over: new Proxy(desk.store, {
      get(store, name) {
        if (name !== 'createSession' || forgotten !== undefined) return Reflect.get(store, name)
        return async (...args: Parameters<typeof store.createSession>) => {
          const put = await store.createSession(...args)
          assert.equal(put.kind, 'begun')
          forgotten = args[0].session_id
          await store.sessions.discardUnstarted(forgotten)
          return put
        }
      },
    }),
  })
  assert.ok(begun.kind === 'started' && forgotten !== undefined)
  assert.notEqual(begun.sessionId, forgotten)
  assert.equal(await desk.running(begun.sessionId), begun.sessionId)
  assert.deepEqual(
    (await desk.store.sessions.list()).map(({ session_id }) => session_id),
    [begun.sessionId],
  )
})
