// Every class of failure, from the provider's answer to the exit status. Where a class costs only its own issue, several share a session:
// each issue is a stage of its own there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../support/invariants.ts'
import { bash, change, findingsOf } from '../support/scripting.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

const ONE_BY_ONE = ['--set', 'limits.max_issues_per_cli_call=1']

test('crash, time-out, unreadable and missing replies cost their own issue and nobody else [S0-15, S2-34, S2-36, C18]', {
  timeout: 300_000,
}, async (t) => {
  const stage = await setMadeStage(t, 6, {
    scenario: {
      faults: [
        { match: { role: 'fix_challenger', code: 'T-001' }, fault: { kind: 'text', preset: 'prose' } },
        { match: { role: 'fix_challenger', code: 'T-002', nth: 1 }, fault: { kind: 'text', preset: 'missing-issue' } },
        { match: { role: 'fixer', code: 'T-003', until: 2 }, fault: { kind: 'text', preset: 'prose' } },
        { match: { role: 'fixer', code: 'T-005' }, fault: { kind: 'hang' } },
      ],
    },
    change: (made) => change(made, 'T-004', { fixes: [{ steps: [bash('kill -KILL $PPID; sleep 20')] }] }),
  })
  const args = [...ONE_BY_ONE, '--max-iterations', '1', '--set', 'claude.timeout_seconds=10']
  const { result } = await stage.fix(stage.made.findings, { args, status: 1 })
  assert.ok(result)
  assert.deepEqual(
    result.results.map(({ issue_code, status }) => `${issue_code} ${status}`),
    ['T-001 failed', 'T-002 completed', 'T-003 completed', 'T-004 failed', 'T-005 failed', 'T-006 completed'],
  )
  const [unchallenged, , , crashed, late] = result.results.map(({ error }) => error ?? '')
  assert.match(unchallenged ?? '', /not_challenged/)
  assert.match(crashed ?? '', /claude was ended from outside: SIGKILL.* 3 times in a row/)
  assert.match(late ?? '', /no answer within 10 s/)

  const keys = await keysOf(stage, result.session_id)
  assert.deepEqual(keys('s1.'), ['s1.i1.b1.fix', 's1.i1.challenge', 's1.i1.challenge.repair', 's1.i1.challenge.fresh'])
  assert.deepEqual(keys('s2.'), ['s2.i1.b1.fix', 's2.i1.challenge', 's2.i1.challenge.repair'])
  assert.deepEqual(keys('s3.'), ['s3.i1.b1.fix', 's3.i1.b1.fix.repair', 's3.i1.challenge'])
  assert.deepEqual([keys('s4.'), keys('s5.')], [Array(3).fill('s4.i1.b1.fix'), ['s5.i1.b1.fix']])
  const last = (await stage.events(result.session_id)).at(-1)
  assert.equal(last?.type, 'fix_session_completed')
  await checkInvariants(stage, 'no-usable-work')
})

test('out of credit: what passed is committed, the rest stays open, and fix again goes on where it was [S2-33]', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: {
      faults: [{ match: { role: 'fixer', code: 'T-002' }, fault: { kind: 'http', preset: 'out-of-credit' } }],
    },
  })
  const first = await stage.fix(stage.made.findings, { args: ONE_BY_ONE, status: 3 })
  assert.ok(first.result)
  assert.deepEqual(
    [first.result.status, first.result.ending?.class, first.result.commits.length],
    ['failed', 'billing', 1],
  )
  assert.equal((await stage.events(first.result.session_id)).at(-1)?.type, 'fix_billing_error')
  const [open] = await stage.read((store) => store.issues.list({ issue_code: 'T-002' }))
  assert.equal(open?.status, 'open')

  stage.model.setScenario(stage.made.scenario)
  const again = await stage.fix(stage.made.findings, { args: ONE_BY_ONE })
  assert.ok(again.result)
  assert.notEqual(again.result.session_id, first.result.session_id)
  assert.equal(again.result.branch_name, first.result.branch_name)
  assert.deepEqual(
    again.result.results.map(({ status, commit_sha }) => [status, commit_sha !== undefined]),
    [
      ['skipped', true],
      ['completed', true],
    ],
  )
  assert.equal(stage.git('rev-list', '--count', `main..${again.result.branch_name}`), '2')
  await checkInvariants(stage, 'billing')
})

test('a limit of either provider is waited for, visibly, and costs no iteration', async (t) => {
  const stage = await setMadeStage(t, 1, { attempts: 1 })
  // One model each: with a chain the next model would simply be asked.
  const models = ['--set', 'claude.models=["opus"]', '--set', 'gemini.models=["gemini-2.5-flash"]']
  const fix = stage.start(stage.made.findings, [...models, '--set', 'limit_wait.backoff_min_seconds=1'])
  await fix.says(/▶/)
  const resetAt = Math.ceil(Date.now() / 1000) + 6
  const limit = { kind: 'http', preset: 'usage-limit', resetAt } as const
  const quota = { kind: 'http', preset: 'daily-quota', retryAfterSeconds: 2 } as const
  stage.model.setScenario({
    ...stage.made.scenario,
    faults: [
      { match: { role: 'fixer', nth: 1 }, fault: limit },
      { match: { role: 'fix_challenger', nth: 1 }, fault: quota },
    ],
  })
  await fix.says(/⏳/)
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 0, stderr)
  assert.equal(result?.results[0]?.iterations, 1)
  const events = await stage.events(result?.session_id ?? '')
  const waits = events.filter(({ type }) => type === 'fix_waiting' || type === 'fix_resumed')
  assert.deepEqual(
    waits.map(({ type }) => type),
    ['fix_waiting', 'fix_resumed', 'fix_waiting', 'fix_resumed'],
  )
  assert.ok(waits[0]?.type === 'fix_waiting' && waits[0].data.kind === 'limit')
  assert.ok((waits[0].data.until ?? 0) >= resetAt * 1000, 'it is told until when')
  assert.ok(Date.parse(waits[1]?.timestamp ?? '') >= resetAt * 1000, 'not asked again before the time')
  await checkInvariants(stage, 'limit')
})

test('a key that claude’s provider refuses ends the session at once: nobody is charged with it', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: {
      faults: [{ match: { role: 'fixer', code: 'T-002' }, fault: { kind: 'http', preset: 'unauthorized' } }],
    },
  })
  const { result, stderr } = await stage.fix(findingsOf(stage.made, 'T-001', 'T-002'), { args: ONE_BY_ONE, status: 3 })
  assert.deepEqual([result?.status, result?.ending?.class, result?.issues_fixed], ['failed', 'access', 1], stderr)
  assert.deepEqual(
    result?.results.map(({ status }) => status),
    ['completed', 'skipped'],
  )
  const [issue] = await stage.read((store) => store.issues.list({ issue_code: 'T-002' }))
  assert.equal(issue?.status, 'open')
  assert.equal((await stage.events(result?.session_id ?? '')).at(-1)?.type, 'fix_session_error')
  await checkInvariants(stage, 'fixer-refused')
})

test('a key that the challenger’s provider refuses keeps the paid fix: it waits, says what helps, and a resume has it judged', async (t) => {
  const stage = await setMadeStage(t, 1, {
    scenario: {
      faults: [{ match: { role: 'fix_challenger', nth: 1 }, fault: { kind: 'http', preset: 'unauthorized' } }],
    },
  })
  const fix = stage.start(stage.made.findings)
  await fix.says(
    /waits for a key that the challenger's provider takes; the fix is kept.*set the right key, then resume/,
  )
  await fix.says(/to answer: fixwright resume fx-\w+/)
  const [session] = await stage.sessions()
  fix.child.kill('SIGTERM')
  assert.equal((await fix.ended).status, 130)
  await until('nothing runs while it waits', () => findLiveInstance(stage.home) === undefined)
  const resumed = await stage.command('resume', session?.session_id ?? '').ended
  assert.equal(resumed.status, 0, resumed.stderr)
  const calls = await stage.read((store) => store.agentCalls.listForSession(session?.session_id ?? ''))
  assert.equal(calls.filter(({ role }) => role === 'fixer').length, 1, 'the fix is paid once')
  const { result } = await stage.fix(stage.made.findings)
  assert.deepEqual([result?.session_id, result?.issues_fixed], [session?.session_id, 1])
  await checkInvariants(stage, 'challenger-refused')
})

test('a key that stays refused ends the session with 3 when the time for it is over', async (t) => {
  const stage = await setMadeStage(t, 1, {
    scenario: { faults: [{ match: { role: 'fix_challenger' }, fault: { kind: 'http', preset: 'unauthorized' } }] },
  })
  const args = ['--set', 'limit_wait.give_up_after_seconds=2']
  const { result } = await stage.fix(stage.made.findings, { args, status: 3 })
  assert.deepEqual([result?.ending?.class, result?.issues_fixed], ['access', 0])
  await checkInvariants(stage)
})

async function keysOf(stage: E2eStage, sessionId: string): Promise<(prefix: string) => string[]> {
  const calls = await stage.read((store) => store.agentCalls.listForSession(sessionId))
  return (prefix) => calls.flatMap(({ key }) => (key.startsWith(prefix) ? [key] : []))
}
