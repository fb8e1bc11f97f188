import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHome } from '../../src/runtime/home.ts'
import { type Order, prepareSession } from '../../src/runtime/prepare.ts'
import { openStore } from '../../src/store/store.ts'
import { sandbox } from '../git/sandbox.ts'

const FINDINGS = { issues: [{ issue_code: 'A', title: 'One', file: 'src/app.py' }] }

async function setDesk(t: TestContext) {
  const box = sandbox(t)
  const env = { FIXWRIGHT_HOME: join(box.home, 'home'), HOME: box.home, PATH: process.env.PATH }
  const home = openHome(env)
  const store = await openStore(home.database)
  t.after(() => store.close())
  const findings = join(box.home, 'findings.json')
  writeFileSync(findings, JSON.stringify(FINDINGS))
  const order: Order = { findings, repository: box.repository, allowDirty: false, flags: {} }
  return {
    ...box,
    store,
    findings,
    prepare: (more: Partial<Order> = {}) => prepareSession({ ...order, ...more }, home, env, store),
    async ready(more: Partial<Order> = {}) {
      const prepared = await prepareSession({ ...order, ...more }, home, env, store)
      assert.ok(prepared.kind === 'ready', JSON.stringify(prepared))
      return prepared
    },
  }
}

test('work that was left unfinished goes on from where its branch is, also with what a person committed on it', async (t) => {
  const desk = await setDesk(t)
  const main = desk.git(['rev-parse', 'HEAD'])
  const first = await desk.ready()
  assert.equal(first.session.base_commit, main)
  await desk.store.issues.upsert(first.session.repository, first.session.task_id, first.findings)
  await desk.store.sessions.create({ ...first.session, branch_name: 'fix/one' })
  await desk.store.sessions.update(first.session.session_id, { status: 'partial' })
  assert.equal((await desk.ready()).session.base_commit, main, 'it never committed')

  desk.git(['checkout', '-q', '-b', 'fix/one'])
  desk.write({ 'src/app.py': 'by hand\n' })
  desk.git(['commit', '-qam', 'by hand'])
  const head = desk.git(['rev-parse', 'HEAD'])
  desk.git(['checkout', '-q', 'main'])
  // One that never got as far as a branch says nothing about where the work stands.
  const second = await desk.ready()
  await desk.store.sessions.create(second.session)
  const third = await desk.ready()
  assert.deepEqual([second.session.base_commit, third.session.base_commit], [head, head])
  assert.equal(third.session.key, first.session.key)

  desk.write({ 'README.md': 'main moved on\n' })
  desk.git(['commit', '-qam', 'main moves on'])
  const moved = desk.git(['rev-parse', 'HEAD'])
  assert.equal((await desk.ready()).session.base_commit, moved, 'another base begins anew')
})

test('what is wrong is told at once: settings, findings and files that are not committed', async (t) => {
  const desk = await setDesk(t)
  desk.write({ 'src/app.py': 'changed\n' })
  writeFileSync(
    desk.findings,
    JSON.stringify([...FINDINGS.issues, { issue_code: 'constructor', title: 'x', file: 'x' }]),
  )
  const flags = { 'gemini.models': ['claude-sonnet-5'] }
  const bad = await desk.prepare({ flags })
  assert.ok(bad.kind === 'refused')
  assert.match(bad.problems.join('\n'), /"constructor" must not be a name that every object/)
  assert.match(bad.problems.join('\n'), /claude-sonnet-5 comes from the fixer's own vendor/)

  writeFileSync(desk.findings, JSON.stringify(FINDINGS))
  const dirty = await desk.prepare()
  assert.ok(dirty.kind === 'refused' && /not committed/.test(dirty.problems[0] ?? ''))
  await desk.ready({ allowDirty: true })
})

test('S2-35 of a review only some findings may be chosen; they stay the same issues, of the same task', async (t) => {
  const desk = await setDesk(t)
  const issues = ['A', 'B', 'C'].map((issue_code) => ({ issue_code, title: issue_code, file: 'src/app.py' }))
  writeFileSync(desk.findings, JSON.stringify({ issues }))
  const whole = await desk.ready()
  const some = await desk.ready({ only: ['C', 'A'] })
  assert.deepEqual(
    some.findings.map(({ issue_code }) => issue_code),
    ['A', 'C'],
  )
  assert.equal(some.session.task_id, whole.session.task_id)
  assert.deepEqual(some.session.issue_ids, [whole.session.issue_ids[0], whole.session.issue_ids[2]])
  assert.notEqual(some.session.key, whole.session.key)
  const unknown = await desk.prepare({ only: ['A', 'D'] })
  assert.ok(unknown.kind === 'refused' && /there is no finding D to choose/.test(unknown.problems.join()))
})
