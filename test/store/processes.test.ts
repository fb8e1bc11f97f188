import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openStore } from '../../src/store/open-store.ts'
import { logLine } from '../domain/session/events/made-events.ts'
import { insertSession, newSession } from '../support/store.ts'
import { until } from '../support/until.ts'
import { storeOfVersion, temporaryFolder } from './support.ts'

const HAMMER = fileURLToPath(new URL('hammer.ts', import.meta.url))

function hammer(t: TestContext, file: string, name: string, rounds: number) {
  const child = spawn(process.execPath, [HAMMER, file, name, String(rounds)], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  return child
}

async function assertGapless(file: string): Promise<number> {
  const store = await openStore(file)
  const events = await store.events.listAfter('shared', 0, 100_000)
  await store.close()
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => index + 1),
  )
  return events.length
}

async function allEnd(children: readonly ReturnType<typeof hammer>[]) {
  return Promise.all(
    children.map(async (child) => {
      const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
      return { status, appended: Number(output) }
    }),
  )
}

test('processes that open a new store at once and hammer it leave one sequence without gap or repeat', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const rounds = 120
  const children = ['a', 'b', 'c', 'd'].map((name) => hammer(t, file, name, rounds))
  const ended = await allEnd(children)
  assert.deepEqual(
    ended.map((end) => end.status),
    [0, 0, 0, 0],
  )
  const total = await assertGapless(file)
  assert.equal(total, children.length * rounds + rounds)
  assert.equal(
    total,
    ended.reduce((sum, end) => sum + end.appended, 0),
  )
  const store = await openStore(file)
  t.after(() => store.close())
  assert.equal((await store.messages.listForSession('shared')).length, total)
  assert.equal((await store.grants.listForRepository('/repo')).length, rounds)
})

test('processes that open a store of version 1 at once bring it to this version once', async (t) => {
  const file = storeOfVersion(t, 1)
  const ended = await allEnd(['a', 'b', 'c', 'd'].map((name) => hammer(t, file, name, 1)))
  assert.deepEqual(
    ended.map((end) => end.status),
    [0, 0, 0, 0],
  )
  assert.equal(await assertGapless(file), 5)
})

test('a writer that is killed leaves a sound store, and its work can be done again', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const own = await openStore(file)
  t.after(() => own.close())
  await insertSession(own, newSession('shared'))
  const child = hammer(t, file, 'a', 1_000_000)
  const exited = once(child, 'exit')
  await until('it writes', async () => (await own.events.findLast('shared')) !== undefined)
  child.kill('SIGKILL')
  await exited

  const [before, again] = [await assertGapless(file), hammer(t, file, 'a', 50)]
  assert.ok(before > 0)
  assert.deepEqual(await once(again, 'exit'), [0, null])
  assert.ok((await assertGapless(file)) >= 100)
})

test('a lock that another process holds is waited for without blocking this one', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const store = await openStore(file)
  t.after(() => store.close())
  await insertSession(store, newSession('shared'))
  const holder = new DatabaseSync(file)
  t.after(() => holder.close())
  holder.exec('begin immediate')

  let done = false
  const append = store.events.append('shared', [logLine('a')]).then(() => {
    done = true
  })
  // The event loop turns while the lock is held, so this line is reached at all.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(done, false)
  holder.exec('commit')
  await append
  assert.equal((await store.events.findLast('shared'))?.seq, 1)
})

test('the store is private to its user, also its journal', async (t) => {
  const folder = path.join(temporaryFolder(t), 'home')
  const file = path.join(folder, 'store.db')
  const store = await openStore(file)
  t.after(() => store.close())
  await insertSession(store, newSession('shared'))
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  for (const name of ['store.db', 'store.db-wal', 'store.db-shm']) {
    assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600, name)
  }
})

test('a store of a newer version is refused and not touched', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const newer = new DatabaseSync(file)
  newer.exec('pragma user_version = 1000')
  newer.close()
  await assert.rejects(openStore(file), /newer Fixwright \(schema 1000/)
})

test('a store that is open reads and writes on when another process has changed its tables', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const store = await openStore(file)
  t.after(() => store.close())
  await insertSession(store, newSession('s1'))
  const before = await store.sessions.get('s1')
  const newer = new DatabaseSync(file)
  newer.exec("alter table sessions add column later text; update sessions set later = 'set'")
  newer.close()

  assert.deepEqual(await store.sessions.get('s1'), before)
  assert.equal(await store.sessions.update('s1', { cost_usd: 2 }), true)
  assert.equal((await store.sessions.get('s1'))?.cost_usd, 2)
})
