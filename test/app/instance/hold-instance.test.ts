// What no test of the command `up` shows: who else holds or needs the instance.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openApp } from '../../../src/app/context.ts'
import { holdInstance, type InstancePlace, leaveInstance } from '../../../src/app/instance/hold-instance.ts'
import { takeLease } from '../../../src/runtime/instance/leases.ts'
import { setInstance } from './support.ts'

async function setHolder(t: TestContext) {
  const desk = await setInstance(t)
  const app = await openApp({ env: desk.env, lease: 'up' })
  t.after(() => app.close())
  const left = new AbortController()
  const places: InstancePlace[] = []
  /** Leaves as soon as the instance is held. */
  const onPlace = (place: InstancePlace) => {
    places.push(place)
    left.abort()
  }
  const hold = (settings = desk.settings) => holdInstance(app, { settings, signal: left.signal, onPlace })
  return { ...desk, app, hold, places }
}

test('holdInstance tells where the instance is and holds it; leaveInstance leaves it to a command that needs it', async (t) => {
  const { app, hold, places, home, address, countLeases } = await setHolder(t)
  assert.deepEqual(await hold(), { kind: 'held' })
  assert.deepEqual([places.map((place) => place.address), countLeases()], [[address], 1])
  assert.equal(app.instance.current(), undefined, 'no client is loaded where nobody needs one')
  const giveBack = takeLease(home, 'command')
  t.after(giveBack)
  assert.deepEqual(await leaveInstance(app), { kind: 'needed' })
  assert.equal(countLeases(), 1, 'only that of the command is left')
})

test('holdInstance says who holds the instance already, and where, whatever cluster it was asked for', async (t) => {
  const { hold, places, home, elsewhere, address, countLeases } = await setHolder(t)
  t.after(takeLease(home, 'up'))
  const held = await hold(elsewhere)
  assert.ok(held.kind === 'held_elsewhere')
  assert.deepEqual([held.pid, held.place.address], [process.pid, address])
  assert.deepEqual([places.length, countLeases()], [0, 1])
})
