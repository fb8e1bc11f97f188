// Who leaves, and who stops: Ctrl-C asks, a signal or a lost terminal only detaches, and a pause holds everything without losing it.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'
import { atTerminal, CTRL_C } from '../support/terminal.ts'
import { until } from '../support/until.ts'

const HOLD: ScenarioInput = { faults: [{ match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } }] }

async function countCalls(stage: E2eStage, id: string): Promise<Record<string, number>> {
  const calls = await stage.read((store) => store.agentCalls.listForSession(id))
  return Object.fromEntries(
    ['fixer', 'fix_challenger'].map((role) => [role, calls.filter((each) => each.role === role).length]),
  )
}

/** `fix` of one issue whose fixer is held: as a program, or at a terminal. */
async function startHeld(t: TestContext, args: readonly string[] = []) {
  const stage = await setMadeStage(t, 1, { scenario: HOLD })
  const fix = stage.start(stage.made.findings, args)
  await stage.model.waitFor({ role: 'fixer' })
  return { stage, fix }
}

async function startHeldAtTerminal(t: TestContext) {
  const stage = await setMadeStage(t, 1, { scenario: HOLD })
  const file = join(stage.folder, 'findings.json')
  writeFileSync(file, JSON.stringify(stage.made.findings))
  const terminal = atTerminal(t, stage, 'fix', file, '--repo', stage.repository)
  await stage.model.waitFor({ role: 'fixer' })
  return { stage, terminal }
}

async function finish(stage: E2eStage, id: string): Promise<void> {
  stage.model.release()
  assert.equal((await stage.command('watch', id).ended).status, 0)
  assert.deepEqual(await countCalls(stage, id), { fixer: 1, fix_challenger: 1 })
  await checkInvariants(stage)
}

describe('leaving a session', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} detaches: the session goes on, and the call in flight is paid once`, async (t) => {
      const { stage, fix } = await startHeld(t)
      fix.child.kill(signal)
      const { status, stderr } = await fix.ended
      assert.equal(status, 130, stderr)
      const id = /session (fx-\w+) goes on in the background: "fixwright watch/.exec(stderr)?.[1] ?? ''
      assert.equal((await stage.sessions())[0]?.session_id, id)
      await finish(stage, id)
    })
  }

  test('--cancel-on-signal is for who wants a signal to cancel', async (t) => {
    const { stage, fix } = await startHeld(t, ['--cancel-on-signal'])
    fix.child.kill('SIGTERM')
    const { status, result, stderr } = await fix.ended
    assert.deepEqual([status, result?.status], [130, 'cancelled'], stderr)
    await checkInvariants(stage)
  })

  test('Ctrl-C says what can be done, is forgotten after five seconds, and d detaches', async (t) => {
    const { stage, terminal } = await startHeldAtTerminal(t)
    terminal.types(CTRL_C)
    await terminal.shows(/session fx-\w+: d detaches .*c or Ctrl-C cancels/)
    await terminal.shows(/nothing was done: the session goes on/)
    terminal.types(CTRL_C)
    await terminal.shows(/d detaches/)
    terminal.types('d')
    assert.equal(await terminal.ended, 130, terminal.shown())
    const id = /session (fx-\w+) goes on in the background/.exec(terminal.shown())?.[1] ?? ''
    await finish(stage, id)
  })

  test('Ctrl-C and c cancel', async (t) => {
    const { stage, terminal } = await startHeldAtTerminal(t)
    terminal.types(CTRL_C)
    await terminal.shows(/c or Ctrl-C cancels/)
    terminal.types('c')
    await terminal.shows(/cancelling session/)
    assert.equal(await terminal.ended, 130, terminal.shown())
    assert.equal((await stage.sessions())[0]?.status, 'cancelled')
    await checkInvariants(stage)
  })

  test('pause lets the call in flight end and begins no other, while nothing runs; resume goes on to the end', async (t) => {
    const { stage, fix } = await startHeld(t, ['--no-wait'])
    const [session] = await stage.sessions()
    const id = session?.session_id ?? ''
    const paused = await stage.command('pause', id, '--reason', 'the quota is needed elsewhere').ended
    assert.equal(paused.status, 0, paused.stderr)
    assert.match(paused.stderr, /it is paused: the step under way ends/)
    stage.model.release()
    assert.equal((await fix.ended).status, 4)
    assert.deepEqual(await countCalls(stage, id), { fixer: 1, fix_challenger: 0 })
    await stage.quiet()
    const { stdout } = await stage.command('status', id).ended
    assert.match(stdout, /status +paused/)
    assert.match(stdout, /waiting +a resume: \S+ .*paused it: the quota is needed elsewhere/)
    assert.match(stdout, new RegExp(`to answer +fixwright resume ${id}`))
    const resumed = await stage.command('resume', id).ended
    assert.equal(resumed.status, 0, resumed.stderr)
    await until('it has ended', async () => (await stage.sessions())[0]?.ended_at !== undefined)
    assert.deepEqual(await countCalls(stage, id), { fixer: 1, fix_challenger: 1 })
    await checkInvariants(stage, 'paused')
  })
})
