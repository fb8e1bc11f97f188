// The door of an instance whose server has troubles of its own.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { askDoor, openDoor } from '../../../src/runtime/instance/door.ts'

test('visitors who can’t be let in end neither the door nor its process', async (t) => {
  const { createServer } = net
  let server: net.Server | undefined
  const create = t.mock.method(net, 'createServer', (listener: (socket: net.Socket) => void) => {
    server = createServer(listener)
    return server
  })
  syncBuiltinESMExports()
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-door-'))
  const home = { door: join(folder, 'door') }
  const troubles: string[] = []
  const keeper = {
    start: async () => ({ kind: 'started' as const }),
    reconcile: async () => ({}),
    health: async () => ({ kind: 'unknown' as const }),
  }
  const close = await openDoor(home, keeper, ({ message }) => void troubles.push(message))
  t.after(() => {
    close()
    create.mock.restore()
    syncBuiltinESMExports()
    rmSync(folder, { recursive: true })
  })
  for (const message of ['accept EMFILE', 'accept EMFILE']) server?.emit('error', new Error(message))
  assert.deepEqual(troubles, ['accept EMFILE', 'accept EMFILE'])
  assert.deepEqual(await askDoor(home, { kind: 'start', sessionId: 's' }), { kind: 'started' })
})
