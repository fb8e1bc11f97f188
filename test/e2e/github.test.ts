// What a session brings to GitHub, through the terminal: its pull request, and issues of what it left. GitHub is one of our own, in a process
// of its own over a real bare repository.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { PlannedFault } from '../support/github/state.ts'
import { startGitHub, TOKEN } from '../support/github.ts'
import { keepWorkflowHistory } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK } from '../support/killing.ts'
import { change } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'
import { startTokenHunt } from '../support/token-hunt.ts'
import { until } from '../support/until.ts'

const WRITTEN_TOKEN = 'ghp_9876543210fedcbaTESTBEDtoken9876543'
const POST_PULL = { method: 'POST', path: '/pulls$' }
const FAULTS: readonly (readonly [string, readonly PlannedFault[]])[] = [
  ['the answer is lost after the pull request was made', [{ ...POST_PULL, fault: { kind: 'drop', after: true } }]],
  [
    'a 502 after the effect, then a truncated list',
    [
      { ...POST_PULL, fault: { kind: 'status', status: 502 } },
      { method: 'GET', path: '/pulls$', nth: 2, fault: { kind: 'truncated' } },
    ],
  ],
  [
    'the request never arrives, then a secondary limit',
    [
      { ...POST_PULL, fault: { kind: 'drop', after: false } },
      { ...POST_PULL, nth: 2, fault: { kind: 'secondary', status: 403, retryAfterSeconds: 1 } },
    ],
  ],
  [
    'the primary limit in every kind of request',
    [
      { method: 'GET', path: '/user$', fault: { kind: 'primary', resetInSeconds: 1 } },
      { method: 'GET', path: '/pulls$', fault: { kind: 'primary', resetInSeconds: 1 } },
      { ...POST_PULL, fault: { kind: 'secondary', status: 429, retryAfterSeconds: 1 } },
    ],
  ],
]

test('pr and leftovers --create post each thing once, whatever is lost, limited or killed; the token is nowhere [S3-14] [S3-15]', {
  timeout: 400_000,
}, async (t) => {
  const stage = await setMadeStage(t, 3, {
    environment: { ...QUICK, GH_ENTERPRISE_TOKEN: TOKEN },
    change: (made) => {
      const fixes = [{ status: 'blocked' as const, summary: 'This is out of scope, says @ada, who fixes #1.' }]
      for (const code of ['T-002', 'T-003']) change(made, code, { fixes })
    },
  })
  const github = await startGitHub(t, { from: stage.repository })
  // The address holds a credential, as in many a CI: it is left where it is, and nothing shows it.
  stage.git('remote', 'add', 'origin', github.remote.replace('//', `//x-access-token:${WRITTEN_TOKEN}@`))
  const holders = [join(stage.repository, '.git/config')]
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN, WRITTEN_TOKEN], github, holders })
  const { result } = await stage.fix(stage.made.findings, { args: ['--profile', 'review-fix'], status: 1 })
  assert.ok(result)
  const { session_id: id } = result
  const options = ['--set', `github.host=${github.host}`, '--set', 'github.look_again_seconds=0.2']
  const pr = (...args: string[]) => stage.command('pr', id, '--json', ...options, ...args)
  const opened = async (running: ReturnType<typeof pr>) => {
    const ended = await running.ended
    assert.equal(ended.status, 0, ended.stderr)
    return JSON.parse(ended.stdout)
  }
  const assertOnce = async (what: string) => {
    const { items, problems } = await github.state()
    assert.deepEqual(problems, [], what)
    assert.equal(items.length, 1, `${what}: one pull request`)
    assert.equal(github.git('rev-parse', `refs/heads/${result.branch_name}`), result.commits[0]?.sha, what)
    return items[0]!
  }

  // Without an effect of ours: what the credential is worth.
  const doctor = stage.command('github', 'doctor', '--repo', stage.repository, '--set', `github.host=${github.host}`)
  assert.match((await doctor.ended).stdout, /GH_ENTERPRISE_TOKEN: the user ada[\s\S]*may push[\s\S]*4988 of 5000/)

  const first = await opened(pr('--draft'))
  const made = await assertOnce('plainly')
  assert.deepEqual([first.kind, first.isNew, first.pull.number, made.pull?.draft], ['pull', true, 1, true])
  assert.equal(made.title, result.commits[0]?.message.split('\n')[0])
  assert.match(
    made.body,
    new RegExp(`${result.results[0]?.issue_code}[\\s\\S]*<!-- fixwright:pull=${id} v=1 mac=[0-9a-f]{32} -->`),
  )
  // A person edits it, and closes it: both are respected.
  await github.edit(1, { title: 'By Ada', state: 'closed' })
  const again = await opened(pr())
  assert.deepEqual([again.isNew, again.pull.state], [false, 'closed'])
  assert.deepEqual([(await assertOnce('again')).title, (await github.state()).items[0]?.edits], ['By Ada', 1])

  for (const [what, faults] of FAULTS) {
    await github.reset()
    await github.plan(faults)
    assert.equal((await opened(pr())).isNew, true, what)
    await assertOnce(what)
  }

  // The worker is killed while GitHub has made the pull request and has not said so yet.
  await github.reset()
  await github.plan([{ ...POST_PULL, fault: { kind: 'hold', after: true } }])
  const killed = pr()
  await until('the request is held', async () => (await github.state()).held === 1)
  kill(stage, ['worker'])
  assert.equal((await opened(killed)).pull.number, 1)
  await github.release()
  await assertOnce('killed')
  await keepWorkflowHistory(stage, `pull-request/${id}`, 'pull-request')

  // Issues of what is left: the first answer is lost, the worker is killed at the second, and a person closes one.
  await github.reset()
  const POST_ISSUE = { method: 'POST', path: '/issues$' }
  await github.plan([
    { ...POST_ISSUE, fault: { kind: 'status', status: 503 } },
    { ...POST_ISSUE, nth: 2, fault: { kind: 'hold', after: true } },
  ])
  const leftovers = () => stage.command('leftovers', id, '--create', '--label', 'review', '--json', ...options)
  const creating = leftovers()
  await until('the second issue is held', async () => (await github.state()).held === 1)
  kill(stage, ['worker'])
  const issues = await opened(creating)
  await github.release()
  const { items, problems } = await github.state()
  assert.deepEqual(
    [issues.created.map(({ key }: { key: string }) => key), issues.failed],
    [[`${id}:T-002`, `${id}:T-003`], []],
  )
  assert.deepEqual([items.map(({ labels }) => labels), problems], [[['review'], ['review']], []])
  assert.match(items[0]?.body ?? '', /\*\*blocked\*\*[\s\S]*sound like "out of scope"/)
  assert.ok(
    items.every(({ body }) => !/@ada|#1/.test(body)),
    'nobody is called, nothing is closed',
  )
  await keepWorkflowHistory(stage, `leftover-issues/${id}`, 'leftover-issues')
  await github.edit(1, { state: 'closed', state_reason: 'not_planned' })
  const later = await opened(leftovers())
  assert.deepEqual(
    [later.created, later.found.map(({ state }: { state: string }) => state), (await github.state()).items.length],
    [[], ['closed', 'open'], 2],
  )

  await hunt.end()
  assert.ok(!readFileSync(join(stage.repository, '.git/config'), 'utf8').includes(TOKEN))
  await checkInvariants(stage)
})
