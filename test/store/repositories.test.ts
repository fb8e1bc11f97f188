import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertIssues, insertSession, newSession } from '../support/store.ts'
import { finding, temporaryStore } from './support.ts'

test('a repository is registered with its first session, after its folder, and found by name, folder and id', async (t) => {
  const store = await temporaryStore(t)
  const base = { repository: '/home/kim/My App', repository_id: 'repo-a', base_commit: 'b'.repeat(40) }
  await insertSession(store, newSession('s1', base))
  await insertSession(store, newSession('s2', { ...base, key: 'another' }))
  await insertSession(store, newSession('s3', { repository: '/srv/my-app', repository_id: 'repo-b' }))
  const [first, second, ...more] = await store.repositories.list()
  assert.deepEqual([first?.name, first?.path, first?.known_commit], ['My-App', '/home/kim/My App', 'b'.repeat(40)])
  assert.deepEqual([second?.name, more], ['my-app-2', []])
  assert.deepEqual(await store.repositories.findByName('MY-APP'), first)
  assert.deepEqual(await store.repositories.findByPath('/home/kim/My App'), first)
  assert.deepEqual(await store.repositories.get('repo-a'), first)
  assert.equal((await store.sessions.get('s2'))?.repository_name, 'My-App')
})

test('a session whose repository was registered or moved since is not begun', async (t) => {
  const store = await temporaryStore(t)
  await store.repositories.add({ repository_id: 'repo-a', path: '/repo' })
  const asked = (path: string, repository_id: string) =>
    store.createSession(newSession('s1', { repository: path, repository_id }), [finding('A')])
  assert.equal((await asked('/repo', 'repo-b')).kind, 'repository_changed')
  await store.repositories.update('repo-a', { path: '/moved' })
  assert.equal((await asked('/repo', 'repo-a')).kind, 'repository_changed')
  assert.deepEqual([await store.sessions.list(), await store.issues.list()], [[], []])
  assert.equal((await asked('/moved', 'repo-a')).kind, 'begun')
})

test('a moved repository keeps its sessions and issues, which lie in the new folder', async (t) => {
  const store = await temporaryStore(t)
  await insertIssues(store, '/repo', 'task', [finding('A')])
  await insertSession(store, newSession('s1'))
  await store.repositories.update('/repo', { path: '/moved' })
  assert.equal((await store.sessions.get('s1'))?.repository, '/moved')
  assert.deepEqual(
    (await store.issues.list({ repository_id: '/repo' })).map(({ repository }) => repository),
    ['/moved'],
  )
})

test('names and folders are unique until their repository is removed, which no running session allows', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const add = async (name: string, path: string) =>
    (await store.repositories.add({ repository_id: `id of ${path}`, path, name })).kind
  assert.equal(await add('REPO', '/other'), 'taken')
  assert.equal(await add('other', '/repo'), 'taken')
  assert.equal(await add('other', '/other'), 'changed')
  assert.equal((await store.repositories.update('/repo', { name: 'Other' })).kind, 'taken')
  const seen = { name: 'other', path: '/elsewhere' }
  assert.equal((await store.repositories.update('id of /other', { name: 'new' }, seen)).kind, 'outdated')
  assert.deepEqual(await store.repositories.remove('/repo'), { kind: 'in_use', session_id: 's1' })
  await store.sessions.update('s1', { status: 'completed' })
  assert.deepEqual(await store.repositories.remove('/repo'), { kind: 'removed' })
  assert.equal(await store.repositories.findByPath('/repo'), undefined)
  assert.equal((await store.repositories.update('/repo', { name: 'new' })).kind, 'outdated')
  assert.equal((await store.sessions.get('s1'))?.repository, '/repo')
  assert.equal((await store.repositories.add({ repository_id: 'again', path: '/repo', name: 'repo' })).kind, 'changed')
})
