// Who started a session does not approve what it does, whichever door they come through.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { createLoginCodes } from '../../src/app/access/login-codes.ts'
import { createToken } from '../../src/app/access/tokens.ts'
import { createSessionClient } from '../../src/client/session-client.ts'
import { storeIssues } from '../server/stored-issues.ts'
import { ask, serveStage } from '../server/support.ts'
import { checkInvariants } from '../support/invariants.ts'
import { bash, change, rightEdit } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

test('with four eyes its starter approves neither a plan nor files outside of the scope: over HTTP, at the terminal, by Temporal', {
  timeout: 180_000,
}, async (t) => {
  const stage = await setMadeStage(t, 3, {
    files: { 'CLAUDE.md': 'Be careful.\n' },
    environment: { FIXWRIGHT_PEOPLE_FOUR_EYES: 'true', FIXWRIGHT_PEOPLE_APPROVE_PLAN: 'true' },
    change: (made) => {
      const steps = [rightEdit(made, 'T-001'), bash('echo "Mind the plus sign." >> CLAUDE.md')]
      change(made, 'T-001', { fixes: [{ steps, reply: { file_modified: ['CLAUDE.md'] } }] })
    },
  })
  const [one, two] = await storeIssues(stage)
  assert.ok(one && two)
  const api = await serveStage(stage)
  const waits = (id: string, kind: string) =>
    until(`${id} waits for ${kind}`, async () => {
      const session = await stage.read((store) => store.sessions.get(id))
      return session?.decision?.kind === kind
    })
  const start = (issue: typeof one, settings = {}) =>
    api.post('/api/fix/start', { repository_id: issue.repository_id, issue_ids: [issue.issue_id], settings })

  const loosened = await start(one, { 'people.four_eyes': false })
  assert.equal(loosened.status, 422, loosened.text)
  const begun = await start(one)
  assert.equal(begun.status, 202, begun.text)
  const id = begun.body.session_id
  await waits(id, 'plan')
  const own = await api.post(`/api/sessions/${id}/plan/decision`, { decision: 'approve' })
  assert.deepEqual([own.status, own.body.code], [403, 'self_approval'], own.text)
  assert.match(own.body.detail, /ci started this session.*somebody else has to approve/)
  const client = await stage.client()
  const handle = client.workflow.getHandle((await stage.sessions())[0]?.workflow_id ?? '')
  await assert.rejects(
    handle.executeUpdate('decidePlan', { args: [{ decision: 'approve', by: 'eve' }] }),
    (error: Error) => /not known for sure/.test(`${(error.cause as Error).message}`),
  )
  const plan = await stage.command('plan', id, '--approve').ended
  assert.equal(plan.status, 0, plan.stderr)
  await waits(id, 'scope')
  const scope = await api.post(`/api/sessions/${id}/scope/decision`, { decision: 'approve' })
  assert.deepEqual([scope.status, scope.body.code], [403, 'self_approval'], scope.text)
  const allowed = await stage.command('scope', id, '--approve').ended
  assert.equal(allowed.status, 0, allowed.stderr)
  await until('it has ended', async () => (await api.get(`/api/sessions/${id}`)).body.status === 'completed')
  const record = await stage.read((store) => store.sessions.get(id))
  assert.deepEqual([record?.started_by?.by, record?.started_by?.checked], ['ci', true])

  const fix = stage.start(stage.made.findings, ['--only', two.issue_code])
  await until('it has begun', async () => (await stage.sessions()).length === 2)
  const other = (await stage.sessions()).find(({ session_id }) => session_id !== id)?.session_id ?? ''
  await waits(other, 'plan')
  const mine = await stage.command('plan', other, '--approve').ended
  assert.equal(mine.status, 2, mine.stderr)
  assert.match(mine.stderr + mine.stdout, /started this session/)
  // A token of the same person's name is the same person, and so is the one that the link of `up` gives.
  const { username } = userInfo()
  const { text } = await createToken(api.app, { name: username, role: 'operator', expires: '1h' })
  const logins = createLoginCodes()
  const { store } = api.app
  const signedIn = await logins.redeem({ store, sender: { by: username, from: 'a terminal' } }, logins.create())
  for (const token of [text, signedIn?.text ?? '']) {
    const same = await ask(api.url, `/api/sessions/${other}/plan/decision`, {
      method: 'POST',
      token,
      body: { decision: 'approve' },
    })
    assert.equal(same.body.code, 'self_approval', same.text)
  }
  // Nobody knows who ordered a session through Temporal, so it may be whoever approves.
  const findings = stage.made.findings.issues.slice(2)
  const { taskQueue } = await handle.describe()
  const ordered = await createSessionClient(client, { taskQueue }).start({ repository: stage.repository, findings })
  // On a loaded machine a worker may answer no query within the client's five seconds.
  await until('the order waits', async () => (await ordered.view().catch(() => undefined))?.open?.kind === 'plan')
  const third = (await stage.sessions()).find(({ workflow_id }) => workflow_id === ordered.workflowId)?.session_id ?? ''
  const anyone = await stage.command('plan', third, '--approve').ended
  assert.equal(anyone.status, 2, anyone.stderr)
  assert.match(anyone.stderr + anyone.stdout, /nobody knows who started this session.*cancel it, and start the work/)
  assert.equal((await ordered.cancel({ reason: 'nobody can approve it' })).kind, 'taken')
  assert.equal((await ordered.result()).status, 'cancelled')
  // What approves nothing is free to all. The plan with the note is asked about anew.
  const asked = async () => (await stage.read((store) => store.sessions.get(other)))?.decision?.request
  const before = await asked()
  assert.equal((await stage.command('plan', other, '--note', `${two.issue_code}=gently`).ended).status, 0)
  await until('the changed plan waits', async () => ![undefined, before].includes(await asked()))
  const approved = await api.post(`/api/sessions/${other}/plan/decision`, { decision: 'approve' })
  assert.equal(approved.status, 200, approved.text)
  assert.equal((await fix.ended).status, 0)
  await api.close()
  await stage.quiet()
  await checkInvariants(stage, 'four-eyes')
})
