// The outside end of the way out, by itself: what a service says arrives whole, however slowly it is read.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startEgressProxy } from '../../../../src/platform/sandbox/egress/egress-proxy.ts'

const HEAD = 'HTTP/1.1 200 Connection established\r\n\r\n'
/** Around what a socket takes before its reader reads. */
const SIZES = Array.from({ length: 60 }, (_, index) => 100_000 + index * 7_001)

test('what a service says before it closes arrives to its end, also where it is read late', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-gateway-'))
  const closed = new Map(SIZES.map((size) => [size, Promise.withResolvers<void>()]))
  const server = createServer((socket) => {
    socket.once('data', (asked) => {
      const size = Number(asked)
      socket.end(Buffer.alloc(size, 'x')).once('close', () => closed.get(size)?.resolve())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoints = [{ host: '127.0.0.1', port }]
  const socket = join(folder, 'socket')
  const gateway = await startEgressProxy({ socket, endpoints, environment: {} })
  t.after(async () => {
    server.close()
    await gateway.close()
    rmSync(folder, { recursive: true })
  })
  const ask = async (size: number): Promise<number> => {
    const client: Socket = connect(socket)
    client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`)
    const [head] = (await once(client, 'data')) as [Buffer]
    assert.equal(head.toString(), HEAD)
    client.pause().removeAllListeners('data')
    client.write(`${size}`)
    // Until all of it is in between, where there is room for that: then the service has closed.
    await Promise.race([closed.get(size)?.promise, delay(100)])
    let read = 0
    for await (const chunk of client) read += (chunk as Buffer).length
    return read
  }
  assert.deepEqual(await Promise.all(SIZES.map(ask)), SIZES)
})
