// The fix endpoints over HTTP, with real CLIs, real Temporal and real git: from issues in the store to commits on a branch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import type { IssueRecord } from '../../src/domain/session/store-records.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'
import { storeIssues } from './stored-issues.ts'
import { ask, follow, serveStage } from './support.ts'

const SECRET = 'correct-horse-battery-staple-42'

/** Asks again while the agent is still at it, as the reply says. */
async function settle(asking: () => ReturnType<typeof ask>): ReturnType<typeof ask> {
  for (;;) {
    const reply = await asking()
    if (reply.status !== 202) return reply
  }
}

test('issues are listed, decided, asked about, started and watched to the end over HTTP [S2-2] [S2-3] [S2-4] [S2-21] [S2-22] [S2-23] [S2-24] [S2-32] [S2-35]', async (t) => {
  const question = 'Should an address with a plus sign be accepted?'
  const says = `I look at ${'a long line of words, '.repeat(20)}and at its end.\nIt holds for ${SECRET}, too.`
  const stage = await setMadeStage(t, 2, {
    scenario: { clarify: [{ questions: [{ issue_code: 'T-001', question }] }], says },
    environment: { CI_TOKEN: SECRET },
  })
  const issues = await storeIssues(stage)
  const api = await serveStage(stage)
  const repository_id = issues[0]?.repository_id ?? ''
  const list = `/api/fix/issues/${repository_id}`
  const listed = (await api.get(`${list}?status=open&task_id=task`)).body.items
  assert.deepEqual(listed.map((issue: IssueRecord) => issue.issue_code).sort(), ['T-001', 'T-002'])
  const [one] = listed
  const bySeverity = (await api.get(`${list}?severity=${one.severity.toUpperCase()}`)).body.items
  assert.ok(bySeverity.length >= 1 && bySeverity.every((issue: IssueRecord) => issue.severity === one.severity))

  const path = `/api/fix/issues/${one.issue_id}`
  const change = { status: 'ignored', resolution_note: 'not now' }
  const patch = (headers: Record<string, string>) => api.post(path, change, { method: 'PATCH', headers })
  assert.equal((await patch({})).body.code, 'if_match_required')
  const ignored = await patch({ 'if-match': one.etag })
  assert.deepEqual([ignored.status, ignored.body.status, ignored.body.resolution_note], [200, 'ignored', 'not now'])
  const stale = await patch({ 'if-match': one.etag })
  assert.deepEqual([stale.status, stale.body.code, stale.body.current.status], [412, 'issue_changed', 'ignored'])
  assert.equal((await api.get(`/api/issues/${one.issue_id}`)).headers.etag, stale.headers.etag)
  const merged = await api.post(path, { status: 'merged' }, { method: 'PATCH', headers: { 'if-match': '*' } })
  assert.deepEqual([merged.status, merged.body.code], [409, 'status_not_allowed'])
  assert.equal(
    (await api.post(path, { status: 'open' }, { method: 'PATCH', headers: { 'if-match': '*' } })).status,
    200,
  )

  const selection = { repository_id, task_id: 'task', issue_ids: issues.map(({ issue_id }) => issue_id) }
  const asked = await settle(() => api.post('/api/fix/clarify', { ...selection, session_id: null, answers: null }))
  assert.equal(asked.status, 200, asked.text)
  const { session_id, questions } = asked.body
  assert.deepEqual([asked.body.has_questions, asked.body.ready_to_fix, questions[0].question], [true, false, question])
  const early = await api.post('/api/fix/start', { ...selection, clarify_session_id: session_id })
  assert.deepEqual([early.status, early.body.code], [409, 'message_refused'])
  const answers = { [questions[0].id]: 'no, the strict rule' }
  const first = await api.post('/api/fix/clarify', { ...selection, session_id, answers })
  const ready =
    first.status === 202 ? await settle(() => api.post('/api/fix/clarify', { ...selection, session_id })) : first
  assert.deepEqual(ready.body, {
    has_questions: false,
    questions: [],
    message: ready.body.message,
    session_id,
    ready_to_fix: true,
  })
  assert.equal((await stage.events(session_id)).filter(({ type }) => type === 'fix_issue_generating').length, 0)

  const body = { ...selection, clarify_session_id: session_id, user_notes: 'use the endpoint /api/v2/users' }
  const stream = await follow(api.url, '/api/fix/start', { token: api.token, method: 'POST', body })
  assert.deepEqual([stream.status, stream.response.headers.location], [200, `/api/sessions/${session_id}`])
  assert.equal(await stream.ended, true)
  assert.deepEqual(
    stream.frames.map(({ id }) => Number(id)),
    stream.frames.map((_, index) => index + 1),
  )
  assert.equal(stream.frames.at(-1)?.event, 'fix_session_completed')
  const said = stream.frames.filter(({ event }) => event === 'fix_issue_streaming').map(({ data }) => data.data)
  assert.ok(said.some(({ kind, text }) => kind === 'tool' && text.startsWith('Edit ')))
  const lines = said.filter(({ kind }) => kind === 'text').map(({ text }) => text)
  assert.equal(lines[0], says.split('\n')[0], 'whole')
  assert.match(`${lines[1]}`, /^It holds for «secret:env-ci-token:\w{4}», too\.$/)
  const state = (await api.get(`/api/sessions/${session_id}`)).body
  assert.deepEqual([state.status, state.counts.fixed], ['completed', 2])
  const fixer = stage.model.calls().find((call) => call.role === 'fixer' && call.step === 0)
  assert.match(fixer === undefined ? '' : (promptOf(fixer) ?? ''), /use the endpoint \/api\/v2\/users/)
  const again = await api.post('/api/fix/start', {
    ...selection,
    clarify_session_id: null,
    settings: { 'people.clarify': true, 'people.wait_for_start': true },
    user_notes: body.user_notes,
  })
  assert.equal(again.status, 200, again.text)
  assert.deepEqual([again.body.joined, again.body.result.session_id], [true, session_id])
  const report = await api.get(`/api/sessions/${session_id}/report`)
  assert.equal(report.body.final_status, 'unproven', 'no command of the operator proves it')
  await api.close()
  await checkInvariants(stage)
})

test('a start is answered at once and joined, its plan is decided by a start that names it, and a lost client ends nothing [S1-14] [S2-32]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const [issue] = await storeIssues(stage)
  const api = await serveStage(stage)
  const selection = { repository_id: issue?.repository_id, issue_ids: [issue?.issue_id] }
  const planned = await settle(() => api.post('/api/fix/plan', selection))
  assert.equal(planned.status, 200, planned.text)
  const { session_id, plan } = planned.body
  assert.deepEqual(plan.stages[0].batches[0].steps, [['T-001']])
  const headers = { 'idempotency-key': 'start-1' }
  const joined = await api.post('/api/fix/start', selection, { headers })
  assert.deepEqual([joined.status, joined.body.joined, joined.body.session_id], [202, true, session_id])
  assert.equal(joined.headers.location, `/api/sessions/${session_id}`)
  assert.match(joined.body.notes.join(), /yours differ in people/)
  const body = { ...selection, clarify_session_id: session_id }
  const keyed = { token: api.token, method: 'POST', body, headers: { 'idempotency-key': 'start-2' } }
  const stream = await follow(api.url, '/api/fix/start', keyed)
  await until('the stream has begun', () => stream.frames.length > 0)
  stream.leave()
  // Without the key a second start of it is refused: nothing waits for it any more.
  const sent = await follow(api.url, '/api/fix/start', keyed)
  assert.deepEqual([sent.status, sent.response.headers.location], [200, `/api/sessions/${session_id}`])
  assert.equal(sent.response.headers['idempotency-replayed'], 'true')
  await until('it streams from the first event', () => sent.frames[0]?.id === '1')
  sent.leave()
  const repeated = await api.post('/api/fix/start', selection, { headers })
  assert.deepEqual(
    [repeated.status, repeated.text, repeated.headers.location],
    [202, joined.text, joined.headers.location],
  )
  const rest = await follow(api.url, `/api/sessions/${session_id}/events`, { token: api.token })
  assert.equal(await rest.ended, true)
  assert.equal(rest.frames.at(-1)?.event, 'fix_session_completed')
  assert.equal((await api.get(`/api/sessions/${session_id}/plan`)).body.plan.approved_by, 'ci')
  const left = await api.post('/api/fix/re-fix', { session_id })
  assert.deepEqual([left.status, left.body.code], [409, 'session_ended'])
  for (const [wrong, code] of [
    [{ ...selection, issue_ids: ['iss-none'] }, 'issue_not_found'],
    [{ ...selection, repository_id: 'repo-none' }, 'issue_not_found'],
    [{ ...selection, settings: { 'claude.command': '/bin/sh' } }, 'settings_invalid'],
    [{ ...selection, task_id: 'other' }, 'bad_input'],
  ] as const) {
    const refused = await api.post('/api/fix/start', wrong)
    assert.equal(refused.body?.code, code, refused.text)
  }
  await api.close()
  await checkInvariants(stage)
})

test('a reader of a session comes back after kill -9 of the service and the instance, and has every event once', async (t) => {
  const stage = await setMadeStage(t, 1)
  const [issue] = await storeIssues(stage)
  const port = 20_000 + (process.pid % 10_000)
  const url = `http://127.0.0.1:${port}`
  const made = await stage.command('token', 'create', '--name', 'ci').ended
  const token = made.stdout.trim()
  const up = async () => {
    const running = stage.commandWith({ FIXWRIGHT_SERVER_PORT: `${port}` }, 'up')
    await until(
      'the service answers',
      async () => (await ask(url, '/api/ready', {}).catch(() => undefined))?.status === 200,
    )
    return running
  }
  const first = await up()
  const selection = {
    repository_id: issue?.repository_id,
    issue_ids: [issue?.issue_id],
    settings: { 'people.approve_plan': true },
  }
  const stream = await follow(url, '/api/fix/start', { token, method: 'POST', body: selection })
  await until('the plan waits for a decision', () => stream.frames.some(({ event }) => event === 'fix_waiting'))
  const instance = findLiveInstance(stage.home)
  assert.ok(instance)
  first.child.kill('SIGKILL')
  process.kill(instance.identity.pid, 'SIGKILL')
  await stream.ended
  const before = stream.frames.map(({ id }) => Number(id))
  const session = stream.frames[0]?.data.session_id
  const second = await up()
  const headers = { 'last-event-id': `${before.at(-1)}` }
  const reader = await follow(url, `/api/sessions/${session}/events`, { token, headers })
  const decided = await ask(url, `/api/sessions/${session}/plan/decision`, {
    method: 'POST',
    token,
    body: { decision: 'approve' },
  })
  assert.ok([200, 202].includes(decided.status), decided.text)
  assert.equal(await reader.ended, true)
  const all = [...before, ...reader.frames.map(({ id }) => Number(id))]
  assert.deepEqual(
    all,
    all.map((_, index) => index + 1),
  )
  assert.equal(reader.frames.at(-1)?.event, 'fix_session_completed')
  assert.deepEqual(all.length, (await stage.events(session)).length)
  second.child.kill('SIGINT')
  assert.equal((await second.ended).status, 0)
  await checkInvariants(stage)
})
