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

/** The events of the source documents, in a session that goes well. */
const MOMENTS = [
  ...[
    'fix_session_started',
    'fix_issue_started',
    'fix_issue_validating',
    'fix_issue_generating',
    'fix_issue_streaming',
  ],
  ...['fix_challenger_evaluating', 'fix_challenger_result', 'fix_issue_committed', 'fix_issue_completed'],
  'fix_session_completed',
]

const SECRET = 'correct-horse-battery-staple-42'

/** Asks again while the agent is still at it, as the reply says. */
async function settle(asking: () => ReturnType<typeof ask>): ReturnType<typeof ask> {
  for (;;) {
    const reply = await asking()
    if (reply.status !== 202) return reply
  }
}

test('issues are listed, decided, asked about, started and watched to the end over HTTP [S2-2] [S2-3] [S2-4] [S2-21] [S2-22] [S2-23] [S2-24] [S2-25] [S2-32] [S2-35]', async (t) => {
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
  const told = new Set(stream.frames.map(({ event }) => event))
  for (const name of MOMENTS) assert.ok(told.has(name), `${name} is streamed`)
  const { data: committed } = stream.frames.find(({ event }) => event === 'fix_issue_committed') ?? {}
  const { issue_id, issue_code, issue_index, total_issues, message, commit_sha } = committed
  assert.deepEqual([committed.type, committed.session_id, total_issues], ['fix_issue_committed', session_id, 2])
  assert.match(committed.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const about = issues.find((issue) => issue.issue_id === issue_id)
  assert.ok(
    about?.issue_code === issue_code && [1, 2].includes(issue_index) && message !== '',
    JSON.stringify(committed),
  )
  assert.equal(stage.git('cat-file', '-t', commit_sha), 'commit')
  const said = stream.frames.filter(({ event }) => event === 'fix_issue_streaming').map(({ data }) => data.data)
  assert.ok(said.some(({ kind, text }) => kind === 'tool' && text.startsWith('Edit ')))
  const lines = said.filter(({ kind }) => kind === 'text').map(({ text }) => text)
  assert.equal(lines[0], says.split('\n')[0], 'whole')
  assert.match(`${lines[1]}`, /^It holds for «secret:env-ci-token:\w{4}», too\.$/)
  const state = (await api.get(`/api/sessions/${session_id}`)).body
  assert.deepEqual([state.status, state.counts.fixed], ['completed', 2])
  const fixer = stage.model.calls().find((call) => call.role === 'fixer' && call.step === 0)
  assert.match(fixer === undefined ? '' : (promptOf(fixer) ?? ''), /use the endpoint \/api\/v2\/users/)
  const sameWork = {
    ...selection,
    clarify_session_id: null,
    settings: { 'people.clarify': true, 'people.wait_for_start': true },
    user_notes: body.user_notes,
  }
  const again = await api.post('/api/fix/start', sameWork)
  assert.equal(again.status, 200, again.text)
  assert.deepEqual([again.body.joined, again.body.result.session_id], [true, session_id])
  assert.equal(again.headers.location, `/api/sessions/${session_id}`)
  const replayed = await follow(api.url, '/api/fix/start', { token: api.token, method: 'POST', body: sameWork })
  assert.equal(await replayed.ended, true)
  assert.deepEqual(replayed.frames, stream.frames, 'who wants events gets those of the session that did this work')
  const report = await api.get(`/api/sessions/${session_id}/report`)
  assert.equal(report.body.final_status, 'unproven', 'no command of the operator proves it')
  await api.close()
  await checkInvariants(stage)
})

test('a start is answered at once and joined, its plan is decided by a start that names it, and a lost client ends nothing [S0-3] [S1-14] [S2-32] [S2-35]', async (t) => {
  // Six in Python, six in TypeScript.
  const stage = await setMadeStage(t, 12)
  const stored = await storeIssues(stage)
  const [issue, page] = ['T-001', 'T-009'].map((code) => stored.find(({ issue_code }) => issue_code === code))
  const api = await serveStage(stage)
  const beside = (one: IssueRecord) => stored.filter((each) => each !== one && each.file === one.file)
  const shared = stored.find((one) => beside(one).length > 0) ?? assert.fail('two issues share a file')
  const related = (await api.get(`/api/issues/${shared.issue_id}/related`)).body.items
  const codes = (issues: readonly IssueRecord[]) => issues.map(({ issue_code }) => issue_code).sort()
  assert.deepEqual(codes(related), codes(beside(shared)), 'what is selected together')
  const selection = { repository_id: issue?.repository_id, issue_ids: [issue?.issue_id, page?.issue_id] }
  const planned = await settle(() => api.post('/api/fix/plan', selection))
  assert.equal(planned.status, 200, planned.text)
  const { session_id, plan } = planned.body
  const batches = plan.stages.flatMap((each: { batches: object[] }) => each.batches)
  assert.deepEqual(batches, [
    { label: 'BE 1/1', steps: [['T-001']] },
    { label: 'FE 1/1', steps: [['T-009']] },
  ])
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

test('a session without credit ends and says so, and what it left is fixed on its branch; force begins anew [S1-14] [S2-21] [S2-32] [S2-33]', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: {
      faults: [{ match: { role: 'fixer', code: 'T-002' }, fault: { kind: 'http', preset: 'out-of-credit' } }],
    },
  })
  const issues = await storeIssues(stage)
  const api = await serveStage(stage)
  const [one, other] = issues.toSorted((a, b) => a.issue_code.localeCompare(b.issue_code))
  const { repository_id = '' } = one ?? {}
  const run = async (path: string, body: object) => {
    const stream = await follow(api.url, path, { token: api.token, method: 'POST', body })
    assert.equal(stream.status, 200, stream.text())
    assert.equal(await stream.ended, true)
    return { last: stream.frames.at(-1), id: `${stream.frames[0]?.data.session_id}`, frames: stream.frames }
  }
  const issue_ids = [one?.issue_id, other?.issue_id]
  const broke = await run('/api/fix/start', {
    repository_id,
    issue_ids,
    settings: { 'limits.max_issues_per_cli_call': 1 },
  })
  assert.equal(broke.last?.event, 'fix_billing_error')
  assert.match(broke.last?.data.message, /credit/i)
  const ended = (await api.get(`/api/sessions/${broke.id}`)).body
  assert.deepEqual([ended.status, ended.ending.class, ended.counts.fixed], ['failed', 'billing', 1])
  const list = `/api/fix/issues/${repository_id}`
  const [open, ...more] = (await api.get(`${list}?status=open`)).body.items
  assert.deepEqual([open.issue_code, more], ['T-002', []])

  stage.model.setScenario(stage.made.scenario)
  const left = await run('/api/fix/re-fix', { session_id: broke.id, user_notes: 'the credit is back' })
  assert.equal(left.last?.event, 'fix_session_completed')
  const { branch, counts } = (await api.get(`/api/sessions/${left.id}`)).body
  assert.deepEqual([branch, counts.requested, counts.fixed], [ended.branch, 1, 1])
  assert.equal(stage.git('rev-list', '--count', `main..${branch}`), '2')

  // Fixed issues that are opened again are fixed anew, on a branch that there is.
  await reopen(api, other?.issue_id)
  stage.git('branch', 'mine', 'main')
  const again = { repository_id, issue_ids: [other?.issue_id], settings: { 'people.approve_plan': true } }
  const stuck = await api.post('/api/fix/start', again)
  assert.equal(stuck.status, 202, stuck.text)
  await until(
    'the plan waits',
    async () => (await api.get(`/api/sessions/${stuck.body.session_id}`)).body.waiting !== null,
  )
  const forced = await run('/api/fix/start', {
    repository_id,
    issue_ids: [other?.issue_id],
    branch: 'mine',
    use_existing_branch: true,
    force: true,
  })
  assert.notEqual(forced.id, stuck.body.session_id)
  assert.equal((await api.get(`/api/sessions/${stuck.body.session_id}`)).body.status, 'cancelled')
  assert.equal(forced.last?.event, 'fix_session_completed')
  assert.equal(stage.git('rev-list', '--count', 'main..mine'), '1')
  await api.close()
  await stage.lookAgain()
  await checkInvariants(stage)
})

async function reopen(api: Awaited<ReturnType<typeof serveStage>>, id: string | undefined): Promise<void> {
  const headers = { 'if-match': '*' }
  const opened = await api.post(`/api/fix/issues/${id}`, { status: 'open' }, { method: 'PATCH', headers })
  assert.equal(opened.status, 200, opened.text)
}

test('readers of a session go on at another API process, and after kill -9 of service and instance, and have every event once [S2-24]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const [issue] = await storeIssues(stage)
  const made = await stage.command('token', 'create', '--name', 'ci').ended
  const token = made.stdout.trim()
  const base = 20_000 + (process.pid % 10_000)
  const up = async (nth: number) => {
    const url = `http://127.0.0.1:${base + nth}`
    const running = stage.commandWith({ FIXWRIGHT_SERVER_PORT: `${base + nth}` }, 'up')
    const isReady = async () => (await ask(url, '/api/ready', {}).catch(() => undefined))?.status === 200
    await until('the service answers', isReady)
    return { ...running, url }
  }
  const kill = ({ child }: Awaited<ReturnType<typeof up>>): void => {
    const instance = findLiveInstance(stage.home)
    assert.ok(instance)
    child.kill('SIGKILL')
    process.kill(instance.identity.pid, 'SIGKILL')
  }
  const first = await up(0)
  const body = {
    repository_id: issue?.repository_id,
    issue_ids: [issue?.issue_id],
    settings: { 'people.approve_plan': true },
  }
  const stream = await follow(first.url, '/api/fix/start', { token, method: 'POST', body })
  await until('the plan waits for a decision', () => stream.frames.some(({ event }) => event === 'fix_waiting'))
  stream.leave()
  const session = `${stream.frames[0]?.data.session_id}`
  const seen = stream.frames.map(({ id }) => Number(id))
  const goOn = (url: string) =>
    follow(url, `/api/sessions/${session}/events`, { token, headers: { 'last-event-id': `${seen.at(-1)}` } })
  // The service of this process reads the same store as the one of `up`.
  const other = await serveStage(stage)
  const reader = await goOn(other.url)
  const decision = { method: 'POST', token, body: { decision: 'approve' } }
  const decided = await ask(first.url, `/api/sessions/${session}/plan/decision`, decision)
  assert.ok([200, 202].includes(decided.status), decided.text)
  await until('the fixer is at it', () => reader.frames.some(({ event }) => event === 'fix_issue_generating'))
  kill(first)
  reader.leave()
  seen.push(...reader.frames.map(({ id }) => Number(id)))
  await other.close()

  const last = await up(1)
  const rest = await goOn(last.url)
  assert.equal(await rest.ended, true)
  seen.push(...rest.frames.map(({ id }) => Number(id)))
  assert.deepEqual(
    seen,
    seen.map((_, index) => index + 1),
  )
  assert.equal(rest.frames.at(-1)?.event, 'fix_session_completed')
  assert.equal(seen.length, (await stage.events(session)).length)
  last.child.kill('SIGINT')
  assert.equal((await last.ended).status, 0)
  await checkInvariants(stage)
})
