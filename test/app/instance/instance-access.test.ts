import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createInstanceAccess } from '../../../src/app/instance/instance-access.ts'
import { setInstance } from './support.ts'

async function setAccess(t: TestContext, more: { readonly connectEarly?: boolean } = {}) {
  const { env, home, ...desk } = await setInstance(t)
  const access = createInstanceAccess({ home, env, onStep: () => undefined, ...more })
  t.after(() => access.close())
  return { ...desk, access }
}

test('createInstanceAccess connects once for all callers, and holds a lease until it is closed', async (t) => {
  for (const connectEarly of [false, true]) {
    const { access, settings, address, countLeases } = await setAccess(t, { connectEarly })
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
  }
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
  const next = await access.reconnect(settings)
  assert.notEqual(next, first)
  assert.deepEqual([access.current(), countLeases()], [next, 1])
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
