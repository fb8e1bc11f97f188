import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSession, temporaryStore } from './support.ts'

test('S2-29 a session’s artifacts are found by kind and by issue; the same name again replaces', async (t) => {
  const store = await temporaryStore(t)
  await store.sessions.create(newSession('s1'))
  const tie = (kind: 'prompt' | 'reply', name: string, ref: string, issue_code?: string) =>
    store.artifacts.tie({ session_id: 's1', kind, name, ref, ...(issue_code === undefined ? {} : { issue_code }) })
  await tie('prompt', 'fix 1', 'sha256:a')
  await tie('reply', 'fix 1', 'sha256:b', 'F001')
  await tie('reply', 'fix 2', 'sha256:b', 'F002')
  await tie('prompt', 'fix 1', 'sha256:c')
  const refs = async (filter?: Parameters<typeof store.artifacts.ofSession>[1]) =>
    (await store.artifacts.ofSession('s1', filter)).map((artifact) => artifact.ref).sort()
  assert.deepEqual(await refs(), ['sha256:b', 'sha256:b', 'sha256:c'])
  assert.deepEqual(await refs({ kind: 'prompt' }), ['sha256:c'])
  assert.deepEqual(await refs({ issue_code: 'F002' }), ['sha256:b'])
  assert.deepEqual(await store.artifacts.neededRefs(), new Set(['sha256:b', 'sha256:c']))
})
