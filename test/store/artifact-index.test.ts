import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { insertSession, newSession } from '../support/store.ts'
import { temporaryStore } from './support.ts'

test('a session’s artifacts are found by kind and by issue; the same name again replaces [S2-29]', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const tie = (kind: 'prompt' | 'reply', name: string, ref: string, issue_code?: string) =>
    store.artifacts.link({ session_id: 's1', kind, name, ref, ...(issue_code === undefined ? {} : { issue_code }) })
  await tie('prompt', 'fix 1', 'sha256:a')
  await tie('reply', 'fix 1', 'sha256:b', 'F001')
  await tie('reply', 'fix 2', 'sha256:b', 'F002')
  await tie('prompt', 'fix 1', 'sha256:c')
  const refs = async (filter?: Parameters<typeof store.artifacts.listForSession>[1]) =>
    (await store.artifacts.listForSession('s1', filter)).map((artifact) => artifact.ref).sort()
  assert.deepEqual(await refs(), ['sha256:b', 'sha256:b', 'sha256:c'])
  assert.deepEqual(await refs({ kind: 'prompt' }), ['sha256:c'])
  assert.deepEqual(await refs({ issue_code: 'F002' }), ['sha256:b'])
  assert.deepEqual(await store.artifacts.listReferencedRefs(), new Set(['sha256:b', 'sha256:c']))
})

test('of what several sessions kept under one name the newest is found', async (t) => {
  const store = await temporaryStore(t)
  for (const session_id of ['s1', 's2']) {
    await insertSession(store, newSession(session_id))
    await store.artifacts.link({ session_id, kind: 'log', name: 'base', ref: `sha256:${session_id}` })
    // Times are told to the millisecond.
    await setTimeout(2)
  }
  const found = await store.artifacts.findLatest('log', 'base')
  assert.deepEqual([found?.session_id, found?.ref], ['s2', 'sha256:s2'])
  assert.equal(await store.artifacts.findLatest('log', 'other'), undefined)
  assert.equal(await store.artifacts.findLatest('prompt', 'base'), undefined)
})
