// What readers get where the log can't be read for a moment: a failure at once, never silence, and the next reader reads on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logClarified } from '../../src/domain/session/events/logs/session-logs.ts'
import { createEventHub } from '../../src/server/events/event-hub.ts'
import type { EventLog, Store } from '../../src/store/store.ts'
import { temporaryStore } from '../store/support.ts'
import { insertSession, newSession } from '../support/store.ts'
import { until } from '../support/until.ts'

test('a failed read of the log fails those who follow, and nobody who comes after', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('fx-1'))
  let broken: keyof EventLog | undefined
  const events = new Proxy(store.events, {
    get: (log, name: keyof EventLog) =>
      name === broken ? () => Promise.reject(new Error(`${name} failed`)) : log[name].bind(log),
  })
  const failing = new Proxy(store, { get: (all, name: keyof Store) => (name === 'events' ? events : all[name]) })
  const hub = createEventHub({ store: failing })
  const write = (n: number) => {
    const data = { round: n, ready: true, questions: 0, words: 'clear' }
    return store.events.append('fx-1', [logClarified(`clarify ${n}`, data)])
  }
  const { signal } = new AbortController()

  broken = 'findLast'
  await assert.rejects(hub.follow('fx-1'), /findLast failed/)
  broken = 'listChangesAfter'
  await assert.rejects(hub.watchAll({ onChanges: () => undefined, onFailure: () => undefined }), /failed/)
  await assert.rejects(hub.follow('fx-1'), /listChangesAfter failed/)

  let n = 0
  for (const name of ['listAfter', 'listChangesAfter'] as const) {
    broken = undefined
    let failure: Error | undefined
    const leaveHints = await hub.watchAll({ onChanges: () => undefined, onFailure: (error) => (failure = error) })
    const reader = await hub.follow('fx-1')
    broken = name
    const waiting = reader.waitForMore(n, signal)
    n += 1
    await write(n)
    await waiting
    await assert.rejects(reader.read(n - 1), new RegExp(`${name} failed`))
    broken = undefined
    const next = await hub.follow('fx-1')
    reader.leave()
    assert.deepEqual(
      (await next.read(0)).map(({ seq }) => seq),
      Array.from({ length: n }, (_, index) => index + 1),
    )
    n += 1
    await write(n)
    await next.waitForMore(n - 1, signal)
    assert.equal((await next.read(n - 1))[0]?.seq, n, 'the leaving of a broken channel ends no other')
    next.leave()
    leaveHints()
    if (name === 'listChangesAfter') await until('the hints fail, too', () => failure !== undefined)
  }
})
