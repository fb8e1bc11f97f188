// A copy of a store in memory: it holds what the file holds at that moment, and what is written into it is forgotten.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { computeIssueId } from '../../src/store/issues.ts'
import { openStore, openStoreCopy } from '../../src/store/open-store.ts'
import { newSession } from '../support/store.ts'
import { finding, storeOfVersion, temporaryFolder } from './support.ts'

test('a copy holds the sessions and issues of the store, also those of a store in use, and keeps its writes to itself', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const store = await openStore(file)
  t.after(() => store.close())
  await store.createSession(
    newSession('first', {
      repository: '/repo',
      task_id: 'task',
      key: 'the key',
      issue_ids: [computeIssueId('/repo', 'task', 'A')],
    }),
    [finding('A')],
  )
  const copy = await openStoreCopy(file)
  t.after(() => copy.close())
  assert.deepEqual(await copy.sessions.list(), await store.sessions.list())
  assert.deepEqual(await copy.issues.list(), await store.issues.list())
  await copy.sessions.update('first', { status: 'completed' })
  assert.deepEqual(
    [(await store.sessions.get('first'))?.status, (await copy.sessions.get('first'))?.status],
    ['pending', 'completed'],
  )
})

test('a copy of an older store is brought up to date, and its file stays as it is', async (t) => {
  const file = storeOfVersion(t, 1)
  const before = readFileSync(file)
  const copy = await openStoreCopy(file)
  t.after(() => copy.close())
  assert.ok((await copy.sessions.list()).length > 0)
  assert.ok(readFileSync(file).equals(before))
  assert.deepEqual(readdirSync(path.dirname(file)), ['store.db'])
})

test('a copy of a store that is not there is empty, and nothing is made', async (t) => {
  const folder = temporaryFolder(t)
  const copy = await openStoreCopy(path.join(folder, 'store.db'))
  t.after(() => copy.close())
  assert.deepEqual(await copy.sessions.list(), [])
  assert.deepEqual(readdirSync(folder), [])
})
