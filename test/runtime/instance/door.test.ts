// The door of an instance, and what comes to it; also where its server has troubles of its own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net, { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { askDoor, type DoorKeeper, openDoor } from '../../../src/runtime/instance/door.ts'
import { temporaryFolder } from '../../store/support.ts'

const KEEPER: DoorKeeper = {
  start: async () => ({ kind: 'started' }),
  reconcile: async () => {
    throw new Error('git is gone')
  },
  health: async () => ({ kind: 'ended', status: 'COMPLETED' }),
}
const noTrouble = (error: Error): void => assert.fail(error)

test('a door answers each question, tells of failures, and opens in place of a killed instance’s', async (t) => {
  const door = join(temporaryFolder(t), 'door')
  assert.equal(await askDoor({ door }, { kind: 'reconcile' }), undefined, 'nobody is there')
  const dying = `require('node:net').createServer().listen(${JSON.stringify(door)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', dying])
  assert.ok(existsSync(door))
  assert.equal(await askDoor({ door }, { kind: 'reconcile' }), undefined, 'nobody is there any more')
  const close = await openDoor({ door }, KEEPER, noTrouble)
  const answers = await Promise.all([
    askDoor({ door }, { kind: 'start', sessionId: 's1' }),
    askDoor({ door }, { kind: 'health', workflowId: 'w' }),
    assert.rejects(askDoor({ door }, { kind: 'reconcile' }), { message: 'git is gone' }),
  ])
  assert.deepEqual(answers.slice(0, 2), [{ kind: 'started' }, { kind: 'ended', status: 'COMPLETED' }])
  close()
  assert.equal(await askDoor({ door }, { kind: 'reconcile' }), undefined)
})

test('a visitor that says nothing, too much or something else does a door no harm', async (t) => {
  const door = join(temporaryFolder(t), 'door')
  const close = await openDoor({ door }, KEEPER, noTrouble)
  t.after(close)
  const silent = connect(door)
  await once(silent, 'connect')
  const loud = connect(door)
  loud.on('error', () => undefined)
  loud.write('x'.repeat(100_000))
  await once(loud, 'close')
  const strange = connect(door)
  strange.write('{"kind":"leave"}\n')
  const [reply] = await once(strange, 'data')
  assert.match(String(reply), /^\{"error":/)
  silent.destroy()
  assert.deepEqual(await askDoor({ door }, { kind: 'start', sessionId: 's1' }), { kind: 'started' })
})

test('a home that can’t hold a door has none, which is told once', async (t) => {
  const deep = join(temporaryFolder(t), 'x'.repeat(120))
  mkdirSync(deep)
  const door = join(deep, 'door')
  const troubles: string[] = []
  const close = await openDoor({ door }, KEEPER, ({ message }) => void troubles.push(message))
  assert.equal(troubles.length, 1)
  assert.equal(await askDoor({ door }, { kind: 'reconcile' }), undefined)
  close()
})

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
