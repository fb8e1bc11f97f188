import assert from 'node:assert/strict'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { sweepArtifacts } from '../../src/artifacts/retention.ts'
import { openStore } from '../../src/store/open-store.ts'
import { temporaryFolder } from '../store/support.ts'
import { insertSession, newSession } from '../support/store.ts'

const DAY = 24 * 60 * 60 * 1000

test('artifacts are kept ten days from their session’s end, shared ones as long as any session needs them [S2-29]', async (t) => {
  const folder = temporaryFolder(t)
  const start = Date.now()
  let time = start
  const store = await openStore(path.join(folder, 'store.db'), { now: () => new Date(time) })
  t.after(() => store.close())
  const artifacts = openArtifactStore(path.join(folder, 'artifacts'))
  const sweep = () => sweepArtifacts({ artifacts, index: store.artifacts, olderThanDays: 10, now: new Date(time) })

  const own = await artifacts.put('the prompt of one')
  const shared = await artifacts.put('the same in both')
  const orphan = await artifacts.put('of a worker that died')
  for (const session_id of ['s1', 's2']) {
    await insertSession(store, newSession(session_id))
    await store.artifacts.link({ session_id, ref: shared.ref, kind: 'diff', name: 'stage 1' })
  }
  await store.artifacts.link({ session_id: 's1', ref: own.ref, kind: 'prompt', name: 'fix 1', issue_code: 'F001' })
  assert.deepEqual(await sweep(), { removed: 0, bytes: 0 }, 'nothing that was put just now')

  time = start + 30 * DAY
  assert.deepEqual(
    await sweep(),
    { removed: 1, bytes: orphan.bytes },
    'a session that runs keeps its own, however long',
  )
  await store.sessions.update('s1', { status: 'completed' })
  time = start + 39 * DAY
  const report = await artifacts.put('posted after the end')
  await store.artifacts.link({ session_id: 's1', ref: report.ref, kind: 'post', name: 'pull-request' })
  assert.deepEqual(await sweep(), { removed: 0, bytes: 0 })
  time = start + 41 * DAY
  assert.deepEqual(await sweep(), { removed: 1, bytes: own.bytes })
  await assert.rejects(artifacts.getText(own.ref), /is gone/)
  assert.equal(await artifacts.getText(shared.ref), 'the same in both')
  assert.equal(await artifacts.getText(report.ref), 'posted after the end')
  time = start + 50 * DAY
  assert.deepEqual(await sweep(), { removed: 1, bytes: report.bytes })
  assert.deepEqual(await store.artifacts.listForSession('s1'), [])

  await store.sessions.update('s2', { status: 'failed' })
  time = start + 61 * DAY
  assert.deepEqual(await sweep(), { removed: 1, bytes: shared.bytes })
})

test('content that is put again while it expires stays', async (t) => {
  const root = temporaryFolder(t)
  const artifacts = openArtifactStore(root)
  const { ref } = await artifacts.put('wanted again')
  const hash = ref.slice('sha256:'.length)
  const yesterday = new Date(Date.now() - DAY)
  utimesSync(path.join(root, 'fix-logs', hash.slice(0, 2), hash), yesterday, yesterday)
  const index = {
    releaseEndedBefore: async () => undefined,
    listReferencedRefs: async () => {
      // Somebody puts it after the question of what is needed was answered.
      await artifacts.put('wanted again')
      return new Set<string>()
    },
    listRefsInUse: async () => new Set<string>(),
  }
  await sweepArtifacts({ artifacts, index, olderThanDays: 10, now: new Date() })
  assert.equal(await artifacts.getText(ref), 'wanted again')
})

test('what a dead writer left half-written is cleared away, what a living one writes is not', async (t) => {
  const root = temporaryFolder(t)
  const [old, young] = ['old', 'young'].map((name) => path.join(root, 'unfinished', name)) as [string, string]
  mkdirSync(path.dirname(old))
  for (const file of [old, young]) writeFileSync(file, 'half')
  const yesterday = new Date(Date.now() - DAY)
  utimesSync(old, yesterday, yesterday)
  const index = {
    releaseEndedBefore: async () => undefined,
    listReferencedRefs: async () => new Set<string>(),
    listRefsInUse: async () => new Set<string>(),
  }
  await sweepArtifacts({ artifacts: openArtifactStore(root), index, olderThanDays: 10, now: new Date() })
  assert.deepEqual([old, young].map(existsSync), [false, true])
})
