// The same work is one session, however often and however parallel it is asked for; different work on one repository does not meet.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFixwright } from '../../src/app/index.ts'
import { startSessionWorkflow } from '../../src/client/session-workflow.ts'
import { checkInvariants } from '../support/invariants.ts'
import { findingsOf } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

test('two starts of the same work are one session, a different one goes on beside it, and the same again within the hour is its result [S2-32]', async (t) => {
  const hold = { kind: 'hold' } as const
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fixer', at: 'first' }, fault: hold }] },
  })
  const [one, two] = [findingsOf(stage.made, 'T-001'), findingsOf(stage.made, 'T-002')]
  const first = stage.start(one)
  await stage.model.waitFor({ role: 'fixer', code: 'T-001' })
  const same = stage.start(one, ['--notes', 'other notes'])
  const other = stage.start(two)
  await stage.model.waitFor({ role: 'fixer', code: 'T-002' })
  await same.says(/joining session/)
  await same.says(/yours differ in notes/)
  stage.model.release()

  const [a, b, c] = await Promise.all([first.ended, same.ended, other.ended])
  for (const { status, stderr } of [a, b, c]) assert.equal(status, 0, stderr)
  assert.deepEqual(a.result, b.result)
  assert.notEqual(a.result?.session_id, c.result?.session_id)
  assert.notEqual(a.result?.branch_name, c.result?.branch_name)
  const changed = (branch: string | null | undefined) => stage.git('diff', '--name-only', 'main', `${branch}`)
  assert.equal(changed(a.result?.branch_name), 'ledger/part_000.py')
  assert.equal(changed(c.result?.branch_name), 'ledger/part_001.py')
  assert.equal((await stage.sessions()).length, 2)

  await stage.quiet()
  const asked = stage.model.calls().length
  const again = await stage.fix(one)
  assert.deepEqual(again.result, a.result)
  assert.match(again.stderr, /less than an hour ago/)
  assert.equal(stage.model.calls().length, asked, 'nobody was asked again')
  assert.equal((await stage.sessions()).length, 2)
  await checkInvariants(stage, 'joined')
})

test('of fifty starts of one session at once, as a killed start is repeated, one begins its workflow [S2-32]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const client = await stage.client()
  const workflowId = `fix-session/${randomUUID()}`
  const session = { workflow_id: workflowId, repository_name: 'nowhere' }
  const instance = { taskQueue: `nobody-${workflowId}`, hostQueue: 'nowhere', attributes: [] }
  const starts = Array.from({ length: 50 }, () =>
    startSessionWorkflow(client, { sessionId: 's1', session, findings: [], instance }),
  )
  const began = await Promise.all(starts)
  await client.workflow.getHandle(workflowId).terminate('the test is over')
  assert.equal(began.filter(({ kind }) => kind === 'started').length, 1)
  assert.deepEqual(
    await startSessionWorkflow(client, { sessionId: 's1', session, findings: [], instance }),
    { kind: 'exists' },
    'also after its end',
  )
})

test('fifty starts of the same work at once, by commands and by a script, in any order of its issues and by any path of its repository: one session works, all join it, nothing else is left [S2-32]', {
  timeout: 180_000,
}, async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fixer', at: 'first' }, fault: { kind: 'hold' } }] },
  })
  const link = join(stage.folder, 'link')
  symlinkSync(stage.repository, link)
  const places = [stage.repository, `${stage.repository}/`, link, `${link}/ledger`]
  const inOrder = stage.made.findings
  const orders = [inOrder, { issues: inOrder.issues.toReversed() }]

  const commands = Array.from({ length: 6 }, (_, nth) =>
    stage.start(orders[nth % 2], ['--repo', places[nth % places.length] ?? '']),
  )
  const script = await openFixwright({ env: stage.environment })
  t.after(() => script.close())
  const began = await Promise.all(
    Array.from({ length: 44 }, (_, nth) =>
      script.start({ findings: orders[nth % 2] ?? {}, repository: places[nth % places.length] ?? '' }),
    ),
  )
  await Promise.all(commands.map((command) => command.says(/▶/)))
  stage.model.release()
  const ended = await Promise.all(commands.map((command) => command.ended))
  for (const { status, stderr } of ended) assert.equal(status, 0, stderr)
  const results = ended.map(({ result }) => result)
  for (const result of results) assert.deepEqual(result, results[0])

  const [session, ...others] = await stage.sessions()
  assert.ok(session && others.length === 0, 'one session, and no trace of another')
  for (const start of began) {
    assert.ok(start.kind === 'started' || start.kind === 'joined', start.kind)
    assert.equal(start.session, session.session_id)
  }
  const joined = began.filter(({ kind }) => kind === 'joined').length + ended.filter(hasJoined).length
  assert.equal(joined, 49)
  const events = await stage.events(session.session_id)
  assert.equal(events.filter(({ type }) => type === 'fix_session_joined').length, 49)
  const fixes = (await stage.read((store) => store.agentCalls.listForSession(session.session_id))).filter(
    ({ role }) => role === 'fixer',
  )
  assert.equal(fixes.length, 1, 'nobody was asked twice')
  script.close()
  await checkInvariants(stage)

  function hasJoined({ stderr }: { readonly stderr: string }): boolean {
    return /joining session/.test(stderr)
  }
})

test('what is joined goes on with its own words: those of a start that only joins change no issue [S2-32]', async (t) => {
  const hold = { kind: 'hold' } as const
  const stage = await setMadeStage(t, 1, {
    scenario: { faults: [{ match: { role: 'fixer', at: 'first' }, fault: hold }] },
  })
  const first = stage.start(stage.made.findings, ['--task', 'one'])
  await stage.model.waitFor({ role: 'fixer' })
  const [issue] = stage.made.findings.issues
  const other = { issues: [{ ...issue, title: 'Something else', description: 'Not what was asked first.' }] }
  const second = stage.start(other, ['--task', 'one'])
  await second.says(/yours differ in the text of the findings/)
  const [kept] = await stage.read((store) => store.issues.list())
  assert.deepEqual([kept?.title, kept?.description], [issue?.title, issue?.description])
  stage.model.release()
  for (const { status, stderr } of await Promise.all([first.ended, second.ended])) assert.equal(status, 0, stderr)
  await checkInvariants(stage)
})

test('a failed, partial or cancelled session blocks nothing: the same work starts anew at once (lesson: a failed session blocked a retry for an hour) [S2-32]', async (t) => {
  const stage = await setMadeStage(t, 1, {
    scenario: {
      faults: [
        { match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } },
        { match: { role: 'fixer', nth: 2 }, fault: { kind: 'http', preset: 'unauthorized' } },
      ],
    },
  })
  const cancelled = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fixer' })
  cancelled.child.kill('SIGINT')
  assert.equal((await cancelled.ended).status, 130)
  const failed = await stage.fix(stage.made.findings, { status: 3 })
  assert.equal(failed.result?.status, 'failed')
  const fixed = await stage.fix(stage.made.findings)
  assert.equal(fixed.result?.issues_fixed, 1)
  assert.deepEqual(
    (await stage.sessions()).map(({ status }) => status),
    ['completed', 'failed', 'cancelled'],
  )
  await checkInvariants(stage)
})
