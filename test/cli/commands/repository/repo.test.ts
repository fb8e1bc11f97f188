// Repositories by name: what the real command makes of folders that are added, renamed, moved and removed.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, realpathSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gitAt } from '../../../support/session.ts'
import { newSession } from '../../../support/store.ts'
import { addSession, type Desk, finding, setDesk } from '../../support.ts'

function makeRepository({ folder }: Desk, name: string): string {
  const path = join(realpathSync(folder), name)
  mkdirSync(path)
  gitAt(path, ['init', '--quiet', '-b', 'main'])
  gitAt(path, ['-c', 'user.name=K', '-c', 'user.email=k@e.org', 'commit', '--quiet', '--allow-empty', '-m', name])
  return path
}

test('repo add: registers a folder by a name, which stands for it wherever --repo is taken', async (t) => {
  const desk = await setDesk(t)
  const path = makeRepository(desk, 'checkout')
  assert.match((await desk.run('repo', 'list')).stderr, /no repository yet/)
  assert.equal(
    (await desk.run('repo', 'add', 'checkout', '--name', 'my-app')).stdout,
    `registered: my-app is ${path}\n`,
  )
  assert.equal((await desk.run('repo', 'add', path)).stdout, `registered already: my-app is ${path}\n`)
  const [known] = JSON.parse((await desk.run('repo', 'list', '--json')).stdout)
  assert.deepEqual([known.name, known.path, known.is_missing], ['my-app', path, false])
  const of = { repository: path, repository_id: known.repository_id }
  await desk.store.createSession(newSession('fx-1', of), [finding('A')])
  await addSession(desk, 'fx-2', ['B'])
  for (const name of ['my-app', 'MY-APP', known.repository_id, './checkout']) {
    assert.match((await desk.run('issues', '--repo', name)).stdout, /^\S.*checkout · task task\n {2}A/)
    assert.doesNotMatch((await desk.run('list', '--repo', name)).stdout, /fx-2/)
  }
  assert.match((await desk.run('issues', '--repo', 'nowhere')).stderr, /--repo nowhere: there is no such folder/)
  const { stdout: needs } = await desk.run('trust', '--repo', 'my-app', '--yes', '--json')
  assert.equal(JSON.parse(needs).repository, path)
  const settings = await desk.run('config', 'max_iterations', '--repo', known.repository_id)
  assert.match(settings.stdout, /^max_iterations /, settings.stderr)
  const { checks } = JSON.parse((await desk.run('doctor', '--repo', 'my-app', '--json')).stdout)
  assert.match(checks.find(({ what }: { what: string }) => what === 'repository').found, /checkout/)
  const nowhere = await desk.run('repo', 'add', '/nope')
  assert.match(nowhere.stderr, /\/nope is no git repository: name the folder of one/)
  assert.doesNotMatch(nowhere.stderr, /--repo/)
  makeRepository(desk, 'my-app')
  const both = await desk.run('issues', '--repo', 'my-app')
  assert.match(
    both.stderr,
    /my-app is a folder here, and the name of the repository .*checkout: give \.\/my-app or repo-/,
  )
  assert.equal(both.status, 2)

  const renamed = await desk.run('repo', 'add', 'checkout', '--name', 'shop', '--json')
  assert.equal(JSON.parse(renamed.stdout).outcome, 'renamed')
  const wrong = await desk.run('repo', 'add', 'checkout', '--name', '../x')
  assert.match(wrong.stderr, /must be 1 to 64 letters/)
  const taken = await desk.run('repo', 'add', 'my-app', '--name', 'Shop')
  assert.match(taken.stderr, /the name shop is that of .*checkout: give another --name/)
  assert.equal((await desk.run('repo', 'remove', 'shop')).stderr.includes('session fx-1 works on shop'), true)
  await desk.store.sessions.update('fx-1', { status: 'cancelled' })
  assert.match((await desk.run('repo', 'remove', 'shop')).stdout, /^removed: shop/)
  const again = await desk.run('repo', 'remove', 'shop')
  assert.deepEqual([again.status, again.stderr.includes('no repository is registered as shop')], [2, true])
  assert.match((await desk.run('list')).stdout, /fx-1/)
})

test('repo add: a repository whose folder is gone lies where its commits are, with its issues', async (t) => {
  const desk = await setDesk(t)
  const path = makeRepository(desk, 'app')
  await desk.run('repo', 'add', 'app')
  const [known] = await desk.store.repositories.list()
  cpSync(path, join(desk.folder, 'copy'), { recursive: true })
  const stranger = makeRepository(desk, 'stranger')

  assert.match((await desk.run('repo', 'add', 'copy')).stdout, /^registered: copy is/, 'its folder is still there')
  renameSync(path, join(desk.folder, 'moved'))
  const refused = await desk.run('repo', 'add', stranger, '--name', 'app')
  assert.match(refused.stderr, /which is gone, and the new folder does not have its commits/)
  assert.match((await desk.run('repo', 'list')).stdout, /app \(gone\)/)
  assert.match((await desk.run('repo', 'add', 'moved')).stdout, /^it has moved: app is .*moved\n/)
  const [now] = await desk.store.repositories.list()
  assert.deepEqual([now?.repository_id, now?.name], [known?.repository_id, 'app'])
})
