// Leaving a server that has gone away, while somebody still asks it. A door before the real server is what goes away here.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connectClient } from '../../src/client/connect.ts'
import { sharedTemporal } from '../support/temporal.ts'

async function setDoor(t: TestContext) {
  const { address, namespace } = await sharedTemporal()
  const [host, port] = address.split(':')
  const sockets = new Set<Socket>()
  const door = createServer((socket) => {
    const onward = connect(Number(port), host)
    for (const each of [socket, onward]) sockets.add(each.on('error', () => undefined))
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  const shut = (): void => {
    door.close()
    for (const socket of sockets) socket.destroy()
  }
  t.after(shut)
  const connected = await connectClient({ address: `127.0.0.1:${(door.address() as AddressInfo).port}`, namespace })
  t.after(connected.close)
  return { ...connected, shut }
}

test('who leaves while a call waits to be tried again has left, and the call has an answer', async (t) => {
  const { client, close, shut } = await setDoor(t)
  shut()
  const tries = ['one', 'two', 'three'].map((id) => client.workflow.getHandle(id).describe())
  const answers = Promise.allSettled(tries)
  // What was asked after them has failed as well, so all of them wait for their second try.
  await assert.rejects(connectClient({ address: '127.0.0.1:1', namespace: 'none', connectTimeout: 100 }))
  close()
  for (const { status } of await answers) assert.equal(status, 'rejected')
})

test('a connection that was left is closed, and tries nothing again', async (t) => {
  const { client, close } = await setDoor(t)
  close()
  close()
  await assert.rejects(client.workflow.getHandle('one').describe())
})
