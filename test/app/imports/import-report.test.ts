// Reports of real repositories, through the use cases, into a real store.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ImportRequest, importReport } from '../../../src/app/imports/import-report.ts'
import { undoImport } from '../../../src/app/imports/imports.ts'
import { openArtifactStore } from '../../../src/artifacts/open-artifact-store.ts'
import type { ImportRecord } from '../../../src/domain/import/import-record.ts'
import { writeSample } from '../../integrations/importers/sample.ts'
import { recorded } from '../../integrations/importers/support.ts'
import { setDesk as setOrders } from '../../runtime/support.ts'
import { insertSession, newSession } from '../../support/store.ts'

async function setDesk(t: TestContext) {
  const desk = await setOrders(t)
  const { store, theirs: home, env, repository } = desk
  const app = { store, home, env, flags: {}, sender: { by: 'kim', from: 'cli' } }
  const ask = (report: object | string, more: Partial<ImportRequest> = {}) =>
    importReport(app, { repository, report, ...more })
  const commit = (files: Record<string, string>) => {
    desk.write(files)
    desk.git(['add', '-A'])
    desk.git(['commit', '-qm', 'next'])
    return desk.git(['rev-parse', 'HEAD'])
  }
  return {
    ...desk,
    app,
    ask,
    commit,
    async take(report: object | string, more: Partial<ImportRequest> = {}): Promise<ImportRecord> {
      const outcome = await ask(report, more)
      assert.ok(outcome.kind === 'imported', JSON.stringify(outcome))
      return outcome.import
    },
    /** Which issues there are, in words. */
    async issues(): Promise<string[]> {
      const found = await store.issues.list({ repository_id: repository })
      return found.map(({ file, line, status, title }) => `${file}:${line} ${status} ${title}`).sort()
    },
  }
}

function eslint(files: Readonly<Record<string, readonly number[]>>): object[] {
  return Object.entries(files).map(([filePath, lines]) => ({
    filePath,
    messages: lines.map((line) => ({ ruleId: 'no-eval', severity: 2, message: 'Do not.', line })),
  }))
}

function counted({ counts }: ImportRecord): string {
  const entries = Object.entries(counts).filter(([, count]) => count > 0)
  return entries.map(([name, count]) => `${count} ${name}`).join(', ')
}

const CODE = { 'a.js': 'one\neval(a)\nthree\neval(b)\n', 'b.js': 'eval(c)\n' }

test('an import: creates issues, previews without a trace, and does nothing the second time', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  const report = eslint({ 'a.js': [2, 4], 'b.js': [1] })
  const preview = await desk.ask(report, { preview: true })
  assert.ok(preview.kind === 'previewed' && preview.counts.created === 3)
  assert.deepEqual([await desk.issues(), await desk.store.imports.list(desk.repository)], [[], []])

  const first = await desk.take(report)
  assert.equal(counted(first), '3 created')
  assert.deepEqual(await desk.issues(), ['a.js:2 open Do not.', 'a.js:4 open Do not.', 'b.js:1 open Do not.'])
  const before = await desk.store.issues.list()
  assert.ok(before.every(({ task_id }) => task_id === first.import_id))
  assert.equal(counted(await desk.take(report.toReversed())), '3 unchanged')
  assert.deepEqual(await desk.store.issues.list(), before)
  const kept = await openArtifactStore(desk.theirs.artifacts).getText(first.report_ref)
  assert.deepEqual(JSON.parse(kept), report)
  assert.ok((await desk.store.artifacts.listReferencedRefs()).has(first.report_ref), 'it is not swept away')
  const tasks = (await desk.store.imports.listTasks(desk.repository)).map(({ kind }) => kind)
  assert.deepEqual(tasks, ['import', 'import'])
})

test('an import: follows lines, closes what is gone, and reopens it only if the fix is in the history of the report', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  await desk.take(eslint({ 'a.js': [2, 4], 'b.js': [1] }))
  desk.commit({ 'a.js': `above\n${CODE['a.js']}`, 'b.js': 'safe(c)\n' })
  const second = await desk.take(eslint({ 'a.js': [3, 5], 'b.js': [] }))
  assert.equal(counted(second), '2 updated, 1 closed')
  assert.deepEqual(await desk.issues(), ['a.js:3 open Do not.', 'a.js:5 open Do not.', 'b.js:1 resolved Do not.'])
  assert.equal(counted(await desk.take(eslint({ 'a.js': [3] }))), '1 unchanged, 1 closed')
  assert.equal(counted(await desk.take(eslint({}), { format: 'eslint' })), '', 'an empty report closes nothing')
  const unread = eslint({ 'a.js': [3] })
  unread.push({ filePath: 'b.js', messages: [{ ruleId: null, fatal: true, severity: 2, message: 'Parsing error' }] })

  // One is fixed by a commit that the report has or does not have.
  const [fixed] = await desk.store.issues.list({ status: 'open' })
  const old = desk.git(['rev-parse', 'HEAD'])
  const fix = desk.commit({ 'a.js': 'fixed\n' })
  await insertSession(desk.store, newSession('s1', { repository: desk.repository, issue_ids: [fixed!.issue_id] }))
  const move = { issue_id: fixed!.issue_id, mover: 'session', session_id: 's1' } as const
  await desk.store.issues.changeStatus({ ...move, to: 'in_progress' })
  await desk.store.issues.changeStatus({ ...move, to: 'resolved', fix: { fix_commit_sha: fix } })
  assert.equal(counted(await desk.take(eslint({ 'a.js': [3] }), { base: old })), '1 unchanged')
  desk.commit({ 'a.js': `above\n${CODE['a.js']}` })
  assert.equal(counted(await desk.take(eslint({ 'a.js': [3] }))), '1 reopened')
  const now = await desk.store.issues.get(fixed!.issue_id)
  assert.deepEqual([now?.status, now?.regressed, now?.issue_id], ['open', true, fixed?.issue_id])
  assert.equal(counted(await desk.take(unread)), '1 created, 1 unchanged', 'an incomplete run closes nothing')
})

test('an import: is undone as it was, except what was changed since, and only from the end', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  const first = await desk.take(eslint({ 'a.js': [2, 4] }))
  const before = await desk.store.issues.list()
  desk.commit({ 'a.js': `above\n${CODE['a.js']}` })
  const second = await desk.take(eslint({ 'a.js': [3], 'b.js': [1] }))
  assert.equal(counted(second), '1 created, 1 updated, 1 closed')
  const early = await undoImport(desk.app, first.import_id)
  assert.ok(early.kind === 'refused' && early.problems[0]?.includes(second.import_id))
  assert.deepEqual(await undoImport(desk.app, second.import_id), { kind: 'undone', restored: 3, kept: 0 })
  const plain = (all: typeof before) =>
    all.map(({ version: _, updated_at: __, ...rest }) => rest).sort((a, b) => (a.issue_id < b.issue_id ? -1 : 1))
  assert.deepEqual(plain(await desk.store.issues.list()), plain(before))
  assert.equal((await undoImport(desk.app, second.import_id)).kind, 'refused')

  assert.equal(counted(await desk.take(eslint({ 'a.js': [3], 'b.js': [1] }))), '1 created, 1 updated, 1 closed')
  const [third] = await desk.store.imports.list(desk.repository)
  const [mine] = await desk.store.issues.list({ status: 'open' })
  await desk.store.issues.changeStatus({ issue_id: mine!.issue_id, to: 'ignored', mover: 'person', note: 'no' })
  assert.deepEqual(await undoImport(desk.app, third!.import_id), { kind: 'undone', restored: 2, kept: 1 })
  assert.equal((await desk.store.issues.get(mine!.issue_id))?.status, 'ignored')
})

test('an import: categories of one tool do not replace each other, and the second tool of a place is a duplicate', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  await desk.take(eslint({ 'a.js': [2] }), { category: 'web' })
  assert.equal(counted(await desk.take(eslint({ 'b.js': [1] }), { category: 'api' })), '1 created')
  assert.equal((await desk.store.issues.list({ status: 'open' })).length, 2)

  writeSample(desk.repository)
  desk.git(['add', '-A'])
  desk.git(['commit', '-qm', 'sample'])
  const bandit = await desk.take(recorded('bandit.sarif.json'))
  const ruff = await desk.take(recorded('ruff.sarif.json'))
  assert.ok(bandit.counts.created > 0 && ruff.counts.duplicate > 0, JSON.stringify([bandit.counts, ruff.counts]))
  const [duplicate] = await desk.store.issues.list({ task_id: ruff.import_id, status: 'duplicate' })
  const first = await desk.store.issues.get(duplicate?.duplicate_of ?? '')
  assert.deepEqual([first?.task_id, first?.file], [bandit.import_id, duplicate?.file])
  assert.equal(duplicate?.resolution_note, `the same as ${first?.issue_code}`)
  await desk.store.issues.changeStatus({ issue_id: duplicate!.issue_id, to: 'open', mover: 'person' })
  const opened = await desk.store.issues.get(duplicate!.issue_id)
  assert.deepEqual([opened?.status, opened?.duplicate_of], ['open', undefined])
  assert.equal((await desk.take(recorded('ruff.sarif.json'))).counts.duplicate, 0, 'the word of a person stays')
})

test('an import: findings of our own and severities of the operator are taken, and what is wrong changes nothing', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  const review = { issues: [{ issue_code: 'F001', title: 'One', file: 'a.js', line: '2', severity: 'low' }] }
  assert.equal(counted(await desk.take(review)), '1 created')
  assert.equal(counted(await desk.take(review)), '1 unchanged')
  const other = { issues: [{ issue_code: 'F001', title: 'Another', file: 'a.js', line: '2' }] }
  assert.equal(counted(await desk.take(other)), '1 created')
  const codes = (await desk.store.issues.list()).map(({ issue_code }) => issue_code)
  assert.deepEqual(codes.sort(), ['F001', 'F001-2'], 'a session may take both')
  const wrong = await desk.ask('[{"filePath": 1, "messages": []}]', { format: 'eslint' })
  assert.ok(wrong.kind === 'refused' && wrong.code === 'findings_invalid')
  const secret = eslint({ 'a.js': [2] }) as { messages: { message: string }[] }[]
  const token = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_')
  secret[0]!.messages[0]!.message = `found ${token}`
  const taken = await desk.take(secret)
  const text = await openArtifactStore(desk.theirs.artifacts).getText(taken.report_ref)
  const [issue] = await desk.store.issues.list({ task_id: taken.import_id })
  assert.ok(!`${text} ${issue?.title} ${issue?.description}`.includes(token))
  assert.equal(counted(await desk.take(secret)), '1 unchanged')
})

test('an import: a report of an older commit neither closes nor reopens, and what a person resolved stays so', async (t) => {
  const desk = await setDesk(t)
  const old = desk.commit({ ...CODE, 'b.js': 'safe(c)\n' })
  await desk.take(eslint({ 'a.js': [2, 4], 'b.js': [] }))
  desk.commit(CODE)
  const all = eslint({ 'a.js': [2, 4], 'b.js': [1] })
  assert.equal(counted(await desk.take(all)), '1 created, 2 unchanged')
  assert.equal(counted(await desk.take(eslint({ 'a.js': [2, 4], 'b.js': [] }), { base: old })), '2 unchanged')
  desk.commit({ 'c.js': 'new\n' })
  assert.equal(counted(await desk.take(eslint({ 'a.js': [2], 'b.js': [1] }))), '2 unchanged, 1 closed')
  assert.equal(counted(await desk.take(eslint({ 'a.js': [2, 4] }), { base: old })), '2 unchanged')
  const [closed] = await desk.store.issues.list({ status: 'resolved' })
  const move = { issue_id: closed!.issue_id, mover: 'person' } as const
  await desk.store.issues.changeStatus({ ...move, to: 'open' })
  await desk.store.issues.changeStatus({ ...move, to: 'resolved', note: 'it is harmless' })
  desk.commit({ 'c.js': 'newer\n' })
  assert.equal(counted(await desk.take(all)), '3 unchanged')
})

test('an import: imports are undone one after the other, and the duplicates of what goes are issues of their own', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  const first = await desk.take(eslint({ 'a.js': [2, 4] }))
  desk.commit({ 'a.js': `above\n${CODE['a.js']}` })
  const second = await desk.take(eslint({ 'a.js': [3, 5] }))
  desk.commit({ 'a.js': `further\nabove\n${CODE['a.js']}` })
  const third = await desk.take(eslint({ 'a.js': [4, 6] }))
  assert.deepEqual([counted(second), counted(third)], ['2 updated', '2 updated'])
  for (const { import_id } of [third, second, first]) {
    assert.deepEqual(await undoImport(desk.app, import_id), { kind: 'undone', restored: 2, kept: 0 })
  }
  assert.deepEqual(await desk.issues(), [])

  writeSample(desk.repository)
  desk.commit({})
  const bandit = await desk.take(recorded('bandit.sarif.json'))
  const ruff = await desk.take(recorded('ruff.sarif.json'))
  assert.ok(ruff.counts.duplicate > 0)
  assert.equal((await undoImport(desk.app, bandit.import_id)).kind, 'undone')
  const left = await desk.store.issues.list()
  assert.deepEqual(
    new Set(left.map(({ status, duplicate_of }) => `${status} ${duplicate_of}`)),
    new Set(['open undefined']),
  )
  const kept = await undoImport(desk.app, ruff.import_id)
  assert.ok(kept.kind === 'undone' && kept.kept === 0, 'nobody but the undo has changed them')
})

test('an import: a page of alerts, a run in trouble and a report with unknown files close nothing', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  const alert = (number: number, state = 'open') => ({
    ...{ number, state, rule: { id: 'r' }, tool: { name: 'CodeQL' } },
    most_recent_instance: { message: { text: `No. ${number}` }, location: { path: 'a.js', start_line: number } },
  })
  assert.equal(counted(await desk.take([alert(2), alert(4)])), '2 created')
  assert.equal(counted(await desk.take([alert(2)])), '1 unchanged', 'the other one may be on another page')
  assert.equal(counted(await desk.take([alert(2), alert(4, 'fixed')])), '1 unchanged, 1 closed')

  const result = (uri: string) => ({
    ...{ ruleId: 'r', message: { text: `In ${uri}.` } },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 2 } } }],
  })
  const sarif = (uris: readonly string[], invocation: object = {}) => ({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Scan' } }, invocations: [invocation], results: uris.map(result) }],
  })
  assert.equal(counted(await desk.take(sarif(['a.js', 'b.js']))), '2 created')
  for (const notice of [{}, { level: 'warning' }, { level: 'error' }]) {
    const inTrouble = sarif(['a.js'], { toolExecutionNotifications: [notice] })
    assert.equal(counted(await desk.take(inTrouble)), '1 unchanged', JSON.stringify(notice))
  }
  assert.equal(counted(await desk.take(sarif(['a.js', 'none.js']))), '1 unchanged')
  const noted = sarif(['a.js'], { toolExecutionNotifications: [{ level: 'note' }] })
  assert.equal(counted(await desk.take(noted)), '1 unchanged, 1 closed')
})

test('an import: a report of ours brings what the store does not have, and knows what it has', async (t) => {
  const desk = await setDesk(t)
  desk.commit(CODE)
  await desk.take(eslint({ 'a.js': [2] }))
  const [issue] = await desk.store.issues.list()
  const ours = (ids: readonly string[]) => ({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'fixwright' } },
        results: ids.map((id, index) => ({
          ...{ ruleId: 'r', message: { text: id }, partialFingerprints: { 'fixwrightIssue/v1': id } },
          properties: { finding: { issue_code: `R${index}`, title: id, file: 'a.js', line: '2' } },
        })),
      },
    ],
  })
  const other = 'iss-00000000000000000000'
  assert.equal(counted(await desk.take(ours([issue!.issue_id, other, 'rv-1:F1']))), '2 created, 1 unchanged')
  assert.equal(counted(await desk.take(ours(['rv-1:F1']))), '1 unchanged', 'absence proves nothing')
  assert.equal(counted(await desk.take(ours([other, 'rv-1:F1']))), '2 unchanged')
})
