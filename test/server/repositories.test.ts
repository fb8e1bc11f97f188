// Repositories and imports over HTTP: folders only below the operator's roots, reports counted, taken and undone.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gitAt } from '../support/session.ts'
import { serveDesk } from './support.ts'

function makeRepository(path: string): void {
  mkdirSync(path)
  gitAt(path, ['init', '--quiet', '-b', 'main'])
  writeFileSync(join(path, 'a.js'), 'one\neval(a)\n')
  gitAt(path, ['add', '.'])
  gitAt(path, ['-c', 'user.name=K', '-c', 'user.email=k@e.org', 'commit', '--quiet', '-m', 'first'])
}

test('an admin registers folders below a root; a report is counted, taken, listed as a task, and undone [S2-22]', async (t) => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-http-')))
  t.after(() => rmSync(outside, { recursive: true, force: true }))
  const roots = join(outside, 'roots')
  mkdirSync(roots)
  makeRepository(join(roots, 'app'))
  makeRepository(join(outside, 'secret'))
  symlinkSync(join(outside, 'secret'), join(roots, 'link'))
  const { app, ask, tokens } = await serveDesk(t, { repository_roots: [roots] })
  const post = (path: string, body: object, token = tokens.admin) => ask(path, { method: 'POST', token, body })

  for (const path of [
    join(outside, 'secret'),
    join(roots, 'link'),
    join(roots, '..', 'secret'),
    join(roots, 'none'),
    '/etc',
  ]) {
    const refused = await post('/api/repositories', { path })
    assert.deepEqual([refused.status, refused.body.code], [403, 'path_not_allowed'], path)
    assert.match(
      refused.body.detail,
      /no folder below one of server\.repository_roots/,
      'alike, whether there is one or not',
    )
  }
  // A repository whose own folder lies above the roots.
  const inner = join(outside, 'secret', 'packages')
  mkdirSync(join(inner, 'one'), { recursive: true })
  const above = await serveDesk(t, { repository_roots: [join(outside, 'none'), inner] })
  const body = { path: join(inner, 'one') }
  const refused = await above.ask('/api/repositories', { method: 'POST', body })
  assert.deepEqual([refused.status, refused.body.code], [403, 'path_not_allowed'], refused.text)
  assert.deepEqual((await above.ask('/api/repositories')).body.items, [])
  assert.equal((await post('/api/repositories', { path: join(roots, 'app') }, tokens.operator)).status, 403)
  const added = await post('/api/repositories', { path: join(roots, 'app'), name: 'my-app' })
  assert.deepEqual([added.status, added.body.name], [201, 'my-app'], added.text)
  assert.equal((await post('/api/repositories', { path: join(roots, 'app') })).status, 200)
  const { repository_id } = added.body
  const own = `/api/repositories/${repository_id}`
  assert.deepEqual((await ask('/api/repositories')).body.items, [added.body])

  const read = await ask(own)
  assert.deepEqual([read.status, read.body], [200, added.body])
  assert.equal((await ask(own, { headers: { 'if-none-match': `${read.headers.etag}` } })).status, 304)
  const rename = (headers: Record<string, string>, name = 'our-app', token = tokens.admin) =>
    ask(own, { method: 'PATCH', token, body: { name }, headers })
  assert.equal((await rename({})).status, 428)
  assert.equal((await rename({ 'if-match': '*' }, 'x', tokens.operator)).status, 403)
  const renamed = await rename({ 'if-match': `${read.headers.etag}` })
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'our-app'], renamed.text)
  const stale = await rename({ 'if-match': `${read.headers.etag}` }, 'their-app')
  assert.deepEqual([stale.status, stale.body.code, stale.body.current.name], [412, 'repository_changed', 'our-app'])
  assert.equal(stale.headers.etag, renamed.headers.etag)
  // Somebody else is quicker between the look and the change.
  const { repositories } = app.store
  const get = repositories.get
  const quicker = async (id: string) => {
    const found = await get(id)
    await repositories.update(id, { name: 'one-app' })
    return found
  }
  t.mock.method(repositories, 'get', quicker, { times: 1 })
  const late = await rename({ 'if-match': `${renamed.headers.etag}` }, 'another-app')
  assert.deepEqual([late.status, late.body.code, late.body.current.name], [412, 'repository_changed', 'one-app'])
  assert.equal(late.headers.etag, (await ask(own)).headers.etag)
  const settings = await ask('/api/settings')
  const known = { 'if-none-match': `W/"old", ${settings.headers.etag}` }
  assert.deepEqual([(await ask('/api/settings', { headers: known })).status, settings.status], [304, 200])

  const messages = [2, 1].map((severity) => ({ ruleId: `r${severity}`, severity, message: 'Do not.', line: severity }))
  const report = [{ filePath: 'a.js', messages }]
  const take = (more: object) => post(`${own}/imports`, { report, ...more }, tokens.operator)
  const preview = await take({ preview: true })
  assert.deepEqual([preview.status, preview.body.counts.created], [200, 2], preview.text)
  assert.deepEqual((await ask(`/api/fix/issues/${repository_id}`)).body.items, [], 'nothing was changed')
  const taken = await take({})
  assert.deepEqual(
    [taken.status, taken.body.imported_by, taken.body.counts.created],
    [201, 'a operator', 2],
    taken.text,
  )
  const again = await take({})
  assert.deepEqual([again.body.counts.created, again.body.counts.unchanged], [0, 2])
  const issues = (await ask(`/api/fix/issues/${repository_id}?task_id=${taken.body.import_id}&severity=high`)).body
    .items
  assert.deepEqual(
    issues.map(({ severity }: { severity: string }) => severity),
    ['high'],
  )
  assert.ok(
    (await ask(`${own}/tasks`)).body.items.some(({ task_id }: { task_id: string }) => task_id === taken.body.import_id),
  )
  assert.equal((await ask(`${own}/imports`)).body.items.length, 2)
  assert.equal((await take({ report: { runs: 'nonsense' } })).body.code, 'findings_invalid')
  const broken = await take({ report: { version: '2.1.0', runs: [null] } })
  assert.deepEqual([broken.status, broken.body.errors[0].pointer], [422, '/report/runs/0'], broken.text)
  assert.equal((await take({ report: '/etc/passwd' })).status, 400, 'a report is never the name of a file')

  const early = await post(`/api/imports/${taken.body.import_id}/undo`, {})
  assert.deepEqual([early.status, early.body.code], [409, 'import_not_undoable'])
  await post(`/api/imports/${again.body.import_id}/undo`, {})
  const undone = await post(`/api/imports/${taken.body.import_id}/undo`, {})
  assert.deepEqual(undone.body, { restored: 2, kept: 0 })
  assert.deepEqual((await ask(`/api/fix/issues/${repository_id}`)).body.items, [])
  assert.equal((await post(`${own}/remove`, {})).status, 200)
  assert.equal((await post(`${own}/imports`, { report })).body.code, 'repository_not_found')
})
