// `--force`: the session that is at the same work is stopped however stuck it is, and has let go of everything before another begins.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { SessionRecord } from '../../src/domain/session/session.ts'
import { findMarkedProcesses } from '../../src/platform/processes/marked-processes.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, bash, scriptOf } from '../support/scripting.ts'
import { type E2eStage, type RunningCommand, setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

const HOLD_FIRST = { match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } } as const
const QUICK = { FIXWRIGHT_WORKER_HEARTBEAT_TIMEOUT_SECONDS: '3' }

type Stage = Awaited<ReturnType<typeof setMadeStage>>

async function startHeld(stage: Stage): Promise<{ fix: RunningCommand; stuck: SessionRecord }> {
  const fix = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fixer' })
  const [stuck] = await stage.sessions()
  assert.ok(stuck)
  return { fix, stuck }
}

async function killAll(stage: Stage, fix: RunningCommand): Promise<void> {
  fix.child.kill('SIGKILL')
  const instance = findLiveInstance(stage.home)
  assert.ok(instance, 'an instance runs')
  process.kill(instance.identity.pid, 'SIGKILL')
  await fix.ended
}

/** In place of the session's own workflow, one of the same id and session that never gets anywhere. */
async function wedge(
  stage: Stage,
  { workflow_id, session_id }: SessionRecord,
  type: string,
  taskQueue: string,
): Promise<void> {
  const client = await stage.client()
  await client.workflow.getHandle(workflow_id).terminate('to be wedged')
  const memo = { sessionId: session_id }
  const { firstExecutionRunId: run_id } = await client.workflow.start(type, {
    workflowId: workflow_id,
    taskQueue,
    memo,
    args: [],
  })
  await stage.read((store) => store.sessions.update(session_id, { run_id }))
}

/** What the stopped one left, and what the new one made of it. */
async function showsBoth(stage: E2eStage, stuckId: string, reason: RegExp): Promise<void> {
  const [fresh, stopped, ...more] = await stage.sessions()
  assert.equal(more.length, 0, 'one was stopped, one begun')
  assert.deepEqual(
    [stopped?.session_id, stopped?.status, stopped?.result?.ending?.class],
    [stuckId, 'cancelled', 'cancelled'],
  )
  assert.match(stopped?.result?.ending?.reason ?? '', reason)
  assert.deepEqual([fresh?.status, fresh?.issues_fixed], ['completed', stopped?.issues_requested])
  assert.ok(Date.parse(fresh?.started_at ?? '') >= Date.parse(stopped?.ended_at ?? ''), 'one after the other')
}

describe('a forced start', { concurrency: 2 }, () => {
  test('cancels the session that is at the work, waits until it has let go, and starts anew; two of them at once make one session (lesson: force was ignored) [S2-32]', async (t) => {
    const stubborn = `setsid sh -c 'trap "" TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 & sleep 60`
    let right: ReturnType<typeof scriptOf> = {}
    const stage = await setMadeStage(t, 1, {
      change: (made) => {
        right = scriptOf(made, 'T-001')
        attempts(made, 'T-001', [bash(stubborn)])
      },
    })
    const first = stage.start(stage.made.findings)
    await until(
      'the tool runs',
      async () => findMarkedProcesses((await stage.sessions())[0]?.session_id ?? 'none').length > 2,
    )
    const [stuck] = await stage.sessions()
    const id = stuck?.session_id ?? ''
    stage.model.setScenario({ ...stage.made.scenario, issues: { 'T-001': right } })

    const forced = [1, 2].map(() => stage.start(stage.made.findings, ['--force']))
    const isFree = (): boolean => findMarkedProcesses(id).length === 0 && !existsSync(join(stage.home.sessions, id))
    await until('another session begins', async () => {
      const free = isFree()
      const sessions = await stage.sessions()
      if (sessions.length > 1) assert.ok(free, 'the stopped one has let go before that')
      return sessions.length > 1
    })

    const ended = await Promise.all([first.ended, ...forced.map((each) => each.ended)])
    assert.deepEqual(
      ended.map(({ status }) => status),
      [130, 0, 0],
      ended.map(({ stderr }) => stderr).join('\n'),
    )
    // One may come so late that the other has begun anew already: then it only joins.
    assert.match(
      forced.map((each) => each.stderr()).join('\n'),
      new RegExp(`session ${id} is at this work: it is cancelled, because this start is forced`),
    )
    assert.deepEqual(ended[1]?.result, ended[2]?.result)
    await showsBoth(stage, id, /cancelled by .*: another start of this work was forced$/)
    await checkInvariants(stage)
  })

  test('stuck → force: also where its workflow fails at every step [S2-37]', { timeout: 180_000 }, async (t) => {
    const stage = await setMadeStage(t, 1, { environment: QUICK, scenario: { faults: [HOLD_FIRST] } })
    const { fix, stuck } = await startHeld(stage)
    await killAll(stage, fix)
    await wedge(stage, stuck, 'noWorkflowOfOurs', `fixwright-${stage.home.hostId}`)
    const { stderr } = await stage.fix(stage.made.findings, { args: ['--force'] })
    assert.match(
      stderr,
      /can't end by itself \(its workflow task has failed \d+ time\(s\) and is tried again\): its workflow is terminated/,
    )
    await showsBoth(
      stage,
      stuck.session_id,
      /another start of this work was forced, and it could not end by itself: its workflow task has failed/,
    )
    await checkInvariants(stage)
  })

  test('stuck → force: also where no worker serves it [S2-37]', { timeout: 180_000 }, async (t) => {
    const stage = await setMadeStage(t, 1, { environment: QUICK, scenario: { faults: [HOLD_FIRST] } })
    const { fix, stuck } = await startHeld(stage)
    await killAll(stage, fix)
    await wedge(stage, stuck, 'fixSession', `nobody-serves-${stuck.session_id}`)
    const { stderr } = await stage.fix(stage.made.findings, { args: ['--force'] })
    assert.match(stderr, /can't end by itself \(no worker takes its next step\): its workflow is terminated/)
    await showsBoth(stage, stuck.session_id, /no worker takes its next step/)
    await checkInvariants(stage)
  })

  test('also where it waits for a person, for days, and nothing of ours runs meanwhile', async (t) => {
    const stage = await setMadeStage(t, 1, {
      scenario: { clarify: [{ questions: [{ issue_code: 'T-001', question: 'Which rule?' }] }] },
    })
    await stage.fix(stage.made.findings, { args: ['--clarify', '--no-wait'], status: 4 })
    const [stuck] = await stage.sessions()
    await stage.quiet()
    const joined = stage.start(stage.made.findings, ['--clarify', '--no-wait'])
    assert.equal((await joined.ended).status, 4)
    assert.match(joined.stderr(), /joining session .*, which waits for an answer to 1 question: Which rule\?/)

    const { stderr } = await stage.fix(stage.made.findings, { args: ['--force'] })
    assert.match(stderr, /is at this work, and waits for an answer to 1 question: Which rule\?: it is cancelled/)
    await showsBoth(stage, stuck?.session_id ?? '', /another start of this work was forced/)
    await checkInvariants(stage)
  })

  test('where nothing is at the work starts anew, also within the hour of its success', async (t) => {
    const stage = await setMadeStage(t, 1)
    const first = await stage.fix(stage.made.findings, { args: ['--force'] })
    assert.equal(first.result?.issues_fixed, 1)
    const again = await stage.fix(stage.made.findings, { args: ['--force'] })
    assert.notEqual(again.result?.session_id, first.result?.session_id)
    assert.match(again.result?.results[0]?.error ?? '', /is resolved already by/)
    assert.equal((await stage.sessions()).length, 2)
    await checkInvariants(stage)
  })

  test('that can not begin itself stops nobody', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: { faults: [HOLD_FIRST] } })
    const { fix, stuck } = await startHeld(stage)
    const args = ['--force', '--branch', 'not-there', '--use-existing-branch']
    const refused = await stage.fix(stage.made.findings, { args, status: 2 })
    assert.match(refused.stderr, /nothing was changed: there is no branch not-there/)
    assert.equal((await stage.sessions())[0]?.ended_at, undefined)
    stage.model.release()
    assert.equal((await fix.ended).result?.session_id, stuck.session_id)
    await checkInvariants(stage)
  })
})
