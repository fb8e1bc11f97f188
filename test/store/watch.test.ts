import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { insertSession, newSession } from '../support/store.ts'
import { until } from '../support/until.ts'
import { temporaryFolder } from './support.ts'

test('watch tells once at the beginning, then after each change of its own process or another, and ends when told', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const [own, other] = [await openStore(file), await openStore(file)]
  t.after(() => Promise.all([own.close(), other.close()]))
  await insertSession(own, newSession('s1'))
  const stop = new AbortController()
  const changes = own.watch({ signal: stop.signal })[Symbol.asyncIterator]()
  await changes.next()

  let isTold = false
  const next = changes.next().then(() => {
    isTold = true
  })
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isTold, false, 'nothing was written')
  await other.sessions.update('s1', { status: 'generating' })
  await next
  const again = changes.next()
  await own.sessions.update('s1', { cost_usd: 1 })
  assert.equal((await again).done, false)

  const last = changes.next()
  stop.abort()
  assert.equal((await last).done, true)
})

test('watch tells of changes that came while nobody listened as one', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const store = await openStore(file)
  t.after(() => store.close())
  const stop = new AbortController()
  let told = 0
  for await (const _ of store.watch({ signal: stop.signal })) {
    told += 1
    if (told === 1) for (const id of ['s1', 's2', 's3']) await insertSession(store, newSession(id))
    else stop.abort()
  }
  assert.equal(told, 2)
})

test('watch looks less and less often at a quiet store, and hears of a write of another process without a look', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const [own, other] = [await openStore(file), await openStore(file)]
  t.after(() => Promise.all([own.close(), other.close()]))
  await insertSession(own, newSession('s1'))
  const pauses: number[] = []
  const setRealTimeout = globalThis.setTimeout
  // The longest pause never ends by itself here.
  t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) => {
    pauses.push(ms)
    return setRealTimeout(work, ms < 1_000 ? 0 : 2 ** 30)
  })
  const changes = own.watch()[Symbol.asyncIterator]()
  await changes.next()
  const next = changes.next()
  await until('only a notice can end the pause', () => pauses.at(-1) === 1_000)
  assert.ok(pauses.length < 5, `${pauses.length} looks`)
  await other.sessions.update('s1', { status: 'generating' })
  assert.equal((await next).done, false)
  await changes.return?.()
})
