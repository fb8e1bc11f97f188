// What stops a session from outside of it: an instance that is told to end, a worker that dies while the session is cancelled, a
// CLI that disappears, a branch that is thrown away. None of it is a verdict on an issue.
import assert from 'node:assert/strict'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../support/invariants.ts'
import { findingsOf } from '../support/scripting.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'

const QUICK = { FIXWRIGHT_WORKER_HEARTBEAT_TIMEOUT_SECONDS: '3' }
const HOLD_FIXER = { match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } } as const

function signalInstance(stage: E2eStage, signal: NodeJS.Signals): void {
  const instance = findLiveInstance(stage.home)
  assert.ok(instance, 'an instance runs')
  process.kill(instance.identity.pid, signal)
}

describe('stopped from outside', { concurrency: 2 }, () => {
  test('an instance that is told to end hands the call in flight over: it is made again and charged to nobody', async (t) => {
    const stage = await setMadeStage(t, 1, { environment: QUICK, scenario: { faults: [HOLD_FIXER] } })
    const fix = stage.start(stage.made.findings)
    await stage.model.waitFor({ role: 'fixer' })
    signalInstance(stage, 'SIGTERM')
    const { status, stderr, result } = await fix.ended
    assert.equal(status, 0, stderr)
    assert.equal(result?.results[0]?.iterations, 1)
    const calls = await stage.read((store) => store.agentCalls.listForSession(result?.session_id ?? ''))
    const fixes = calls.filter(({ key }) => key === 's1.i1.b1.fix').map(({ state }) => state)
    assert.deepEqual(fixes, ['lost', 'finished'])
    await checkInvariants(stage)
  })

  test('a session that is cancelled while its worker dies is cancelled, not failed', async (t) => {
    const stage = await setMadeStage(t, 1, { environment: QUICK, scenario: { faults: [HOLD_FIXER] } })
    const fix = stage.start(stage.made.findings)
    await stage.model.waitFor({ role: 'fixer' })
    const [session] = await stage.sessions()
    assert.ok(session)
    signalInstance(stage, 'SIGKILL')
    await (await stage.client()).workflow.getHandle(session.workflow_id).cancel()
    const { status, stderr, result } = await fix.ended
    assert.equal(status, 130, stderr)
    assert.deepEqual([result?.status, result?.ending?.class, result?.issues_skipped], ['cancelled', 'cancelled', 1])
    const [issue] = await stage.read((store) => store.issues.list())
    assert.equal(issue?.status, 'open')
    await checkInvariants(stage)
  })

  test('a CLI that disappears ends the session within seconds, says how to get it, and leaves the issues open', async (t) => {
    const stage = await setMadeStage(t, 1, { environment: QUICK, scenario: { faults: [HOLD_FIXER] } })
    const gemini = join(stage.folder, 'gemini')
    const real = join(packageRoot(), 'node_modules/.bin/gemini')
    symlinkSync(real, gemini)
    const fix = stage.start(stage.made.findings, ['--set', `gemini.command=${gemini}`])
    await stage.model.waitFor({ role: 'fixer' })
    rmSync(gemini)
    stage.model.release()
    const { status, stderr, result } = await fix.ended
    assert.equal(status, 3, stderr)
    const events = await stage.events(result?.session_id ?? '')
    const tries = events.filter((event) => event.type === 'fix_call_started' && event.data.role === 'fix_challenger')
    assert.equal(tries.length, 3, 'it does not try for minutes')
    assert.deepEqual([result?.status, result?.ending?.class], ['failed', 'infrastructure'])
    assert.match(result?.ending?.reason ?? '', /npm install -g @google\/gemini-cli/)
    const [issue] = await stage.read((store) => store.issues.list())
    assert.equal(issue?.status, 'open')
    await checkInvariants(stage)
  })

  test('a branch that was thrown away is no answer any more: the work is done again', {
    timeout: 300_000,
  }, async (t) => {
    const stage = await setMadeStage(t, 1)
    // Two whole sessions, without a challenger: on a loaded machine they take more than a test's two minutes all the same.
    const args = ['--profile', 'verify', '--verify', 'true']
    const first = await stage.fix(stage.made.findings, { args })
    stage.git('branch', '-D', first.result?.branch_name ?? '')
    const again = await stage.fix(stage.made.findings, { args })
    assert.notEqual(again.result?.session_id, first.result?.session_id)
    assert.deepEqual([again.result?.issues_fixed, again.result?.branch_name], [1, first.result?.branch_name])
    const third = await stage.fix(stage.made.findings, { args })
    assert.equal(third.result?.session_id, again.result?.session_id)
  })

  test('what is short never waits for somebody’s fixer: a session ends while another has the only place', async (t) => {
    const stage = await setMadeStage(t, 2, { scenario: { faults: [HOLD_FIXER] } })
    const only = ['--set', 'worker.max_parallel_calls=1']
    const first = stage.start(findingsOf(stage.made, 'T-001'), only)
    await stage.model.waitFor({ role: 'fixer', code: 'T-001' })
    const second = stage.start(findingsOf(stage.made, 'T-002'), only)
    await second.says(/fix\/\S+/)
    second.child.kill('SIGINT')
    assert.equal((await second.ended).status, 130)
    stage.model.release()
    const { status, stderr } = await first.ended
    assert.equal(status, 0, stderr)
    await checkInvariants(stage)
  })
})
