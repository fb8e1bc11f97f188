import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createInstanceAccess } from '../../../src/app/instance/instance-access.ts'
import type { SessionRecord } from '../../../src/domain/session/session.ts'
import { readProcessIdentity } from '../../../src/platform/processes/process-identity.ts'
import { openDoor } from '../../../src/runtime/instance/door.ts'
import { findLiveInstance, type Instance, writeInstanceFile } from '../../../src/runtime/instance/instance-file.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { setInstance } from './support.ts'

async function setAccess(t: TestContext, more: Partial<Instance> = {}) {
  const { env, home, ...desk } = await setInstance(t, more)
  const store = await openStore(home.database)
  const access = createInstanceAccess({ home, store, env, onStep: () => undefined })
  t.after(async () => {
    access.close()
    await store.close()
  })
  return { ...desk, home, access }
}

test('createInstanceAccess connects once for all callers, and holds a lease until it is closed', async (t) => {
  const { access, settings, address, countLeases } = await setAccess(t)
  assert.equal(access.current(), undefined)
  assert.equal(countLeases(), 0, 'nothing is joined before somebody needs it')
  const [one, other] = await Promise.all([access.connect(settings), access.connect(settings)])
  assert.equal(one, other)
  assert.equal(access.current(), one)
  assert.deepEqual([one.instance.address, one.instance.startedByUs, countLeases()], [address, false, 1])
  const { serverVersion } = await one.client.workflowService.getSystemInfo({})
  assert.ok(serverVersion)
  access.close()
  assert.deepEqual([access.current(), countLeases()], [undefined, 0])
})

test('createInstanceAccess forgets a connection that failed: the next caller gets one', async (t) => {
  const { access, settings, elsewhere, countLeases } = await setAccess(t)
  await assert.rejects(access.connect(elsewhere), {
    code: 'instance_unavailable',
    message: /runs already .* you asked/,
  })
  assert.equal(countLeases(), 0)
  const connected = await access.connect(settings)
  assert.deepEqual([access.current(), countLeases()], [connected, 1])
})

test('createInstanceAccess replaces its connection on demand', async (t) => {
  const { access, settings, countLeases } = await setAccess(t)
  const first = await access.connect(settings)
  const next = await access.replace(settings)
  assert.notEqual(next.instance, first.instance)
  assert.ok(access.current() && access.current() !== first)
  assert.equal(countLeases(), 1)
})

/** An instance that dies, with its server, at the moment when somebody connects to that; the next one runs already by then. */
async function setDyingInstance(t: TestContext) {
  const { access, home, settings, address } = await setAccess(t)
  const next = findLiveInstance(home)
  assert.ok(next)
  const dying = spawn('sleep', ['600'])
  t.after(() => dying.kill('SIGKILL'))
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    dying.once('exit', () => {
      writeInstanceFile(home, next)
      socket.destroy()
      server.close()
    })
    dying.kill('SIGKILL')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const identity = readProcessIdentity(dying.pid ?? 0)
  assert.ok(identity)
  writeInstanceFile(home, { ...next, identity, address: `127.0.0.1:${(server.address() as AddressInfo).port}` })
  return { access, settings, address }
}

test('createInstanceAccess takes the next instance where one dies, with its server, while a client connects to it', async (t) => {
  const { access, settings, address } = await setDyingInstance(t)
  const { instance, client } = await access.connect(settings)
  assert.equal(instance.address, address)
  assert.ok((await client.workflowService.getSystemInfo({})).serverVersion)
})

test('createInstanceAccess closes lost sessions by the next instance where one dies meanwhile', async (t) => {
  const { access, settings, address } = await setDyingInstance(t)
  assert.equal((await access.reconcile(settings)).instance.address, address)
})

test('createInstanceAccess does not ask another instance where the server of a living one can’t be reached', async (t) => {
  const { access, settings, countLeases } = await setAccess(t, { address: '127.0.0.1:1' })
  await assert.rejects(access.connect(settings), { code: 'temporal_unreachable' })
  assert.equal(countLeases(), 0)
})

test('createInstanceAccess reaches an instance that starts sessions at its door, and needs no client', async (t) => {
  const { access, home, settings } = await setAccess(t, { startsSessions: true })
  const asked: unknown[] = []
  const close = await openDoor(
    home,
    {
      start: async (question) => {
        asked.push(question)
        throw new Error('the server is busy')
      },
      reconcile: async (question) => {
        asked.push(question)
        return {}
      },
      health: async () => ({ kind: 'running', problem: 'it hangs', stalledMs: 7 }),
    },
    (error) => assert.fail(error),
  )
  const link = await access.reach(settings)
  assert.deepEqual(await link.health('w'), { kind: 'running', problem: 'it hangs', stalledMs: 7 })
  await link.reconcile()
  const session = { session_id: 's1' } as SessionRecord
  assert.equal(await link.start(session, []), 'started', 'the row stays: it is tried again')
  assert.deepEqual(asked, [{ kind: 'reconcile' }, { kind: 'start', sessionId: 's1' }])
  assert.equal(access.current(), undefined)
  close()
  assert.equal(await link.start(session, []), 'started')
  assert.equal((await link.health('nobody')).kind, 'ended', 'without a door a client asks')
  assert.ok(access.current())
})

test('createInstanceAccess gives a connection back that was closed while it was made', async (t) => {
  const { access, settings, countLeases } = await setAccess(t)
  const connecting = access.connect(settings)
  access.close()
  await connecting
  assert.deepEqual([access.current(), countLeases()], [undefined, 0])
})

test('createInstanceAccess joins without a client; a client that is needed later takes what is joined', async (t) => {
  const { access, settings, countLeases } = await setAccess(t)
  const joined = await access.join(settings)
  assert.deepEqual([access.joined(), access.current(), countLeases()], [joined, undefined, 1])
  const connected = await access.connect(settings)
  assert.deepEqual([connected.instance, access.current(), countLeases()], [joined, connected, 1])
  const next = await access.rejoin(settings)
  assert.notEqual(next, joined)
  assert.deepEqual([access.joined(), access.current(), countLeases()], [next, undefined, 1])
  access.close()
  assert.deepEqual([access.joined(), countLeases()], [undefined, 0])
})
