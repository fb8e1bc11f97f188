// The commands around a session that really runs: held up, followed, cancelled, left alone and taken up again.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SessionEvent } from '../../src/domain/session/events/index.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { openStore } from '../../src/store/open-store.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, type RunningCommand, setMadeStage } from '../support/session.ts'
import { insertSession } from '../support/store.ts'
import { until } from '../support/until.ts'

const HOLD_FIXER = [{ match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } }] as const
const QUICK = { FIXWRIGHT_WORKER_HEARTBEAT_TIMEOUT_SECONDS: '3' }

type Stage = Awaited<ReturnType<typeof setHeldStage>>

/** Three issues, and a fixer that does not answer before it is let go. */
async function setHeldStage(t: Parameters<typeof setMadeStage>[0], server: 'shared' | 'own' = 'shared') {
  return await setMadeStage(t, 3, { server, environment: QUICK, scenario: { faults: [...HOLD_FIXER] } })
}

/** A command that runs, with what it has printed so far. */
function running(
  command: RunningCommand,
): RunningCommand & { stdout(): string; prints(pattern: RegExp): Promise<void> } {
  let text = ''
  command.child.stdout?.on('data', (more: string) => {
    text += more
  })
  const prints = (pattern: RegExp) => until(`standard output shows ${pattern}`, () => pattern.test(text))
  return { ...command, stdout: () => text, prints }
}

async function startHeld(stage: Stage): Promise<{ fix: RunningCommand; id: string }> {
  const fix = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fixer' })
  const [session] = await stage.sessions()
  return { fix, id: session?.session_id ?? '' }
}

async function statusOf(stage: E2eStage, id: string) {
  return JSON.parse((await stage.command('status', id, '--json').ended).stdout)
}

function killInstance(stage: E2eStage): void {
  const pid = findLiveInstance(stage.home)?.identity.pid
  assert.ok(pid, 'an instance runs')
  process.kill(pid, 'SIGKILL')
}

describe('around a running session', { concurrency: 2 }, () => {
  test('up holds one instance for all commands, tells what sessions do, replaces what dies, and ends with Ctrl-C', async (t) => {
    const stage = await setMadeStage(t, 2, { server: 'own', environment: QUICK })
    const up = running(stage.command('up'))
    await up.prints(/log +\S+/)
    const [, ui = ''] = /Temporal UI +(\S+)/.exec(up.stdout()) ?? []
    assert.equal((await fetch(ui)).status, 200)
    const first = findLiveInstance(stage.home)?.identity.pid

    const second = await stage.command('up').ended
    assert.equal(second.status, 0)
    assert.match(second.stderr, new RegExp(`up already: process ${up.child.pid} holds it`))
    assert.ok(second.stdout.includes(ui))

    killInstance(stage)
    await up.says(/is gone\.[\s\S]*the instance runs again/)
    const { result } = await stage.fix(stage.made.findings)
    assert.equal(result?.issues_fixed, 2)
    const id = result?.session_id
    await up.says(new RegExp(`▶ ${id} is at work on 2 issue\\(s\\)[\\s\\S]*■ ${id} completed: 2 of 2 fixed`))
    const current = findLiveInstance(stage.home)?.identity.pid
    assert.ok(current !== undefined && current !== first, 'the successor serves, also when fix has ended')

    up.child.kill('SIGINT')
    const ended = await up.ended
    assert.equal(ended.status, 0)
    assert.match(ended.stderr, /\ndown\n$/)
    assert.equal(findLiveInstance(stage.home), undefined)
    await checkInvariants(stage)
  })

  test('up that is left while a session is at work leaves it at work, and says so', async (t) => {
    const stage = await setHeldStage(t)
    const up = running(stage.command('up'))
    await up.prints(/log +\S+/)
    const { fix, id } = await startHeld(stage)
    fix.child.kill('SIGKILL')
    await fix.ended
    up.child.kill('SIGINT')
    assert.match((await up.ended).stderr, new RegExp(`still at work in the background: ${id}`))
    stage.model.release()
    const watched = await stage.command('watch', id).ended
    assert.equal(watched.status, 0, watched.stderr)
    assert.match(watched.stdout, /3 of 3 fixed/)
    await checkInvariants(stage)
  })

  test('progress shows the batch of its kind, which of how many, and its workload [S0-10]', async (t) => {
    const stage = await setMadeStage(t, 7, { environment: { FIXWRIGHT_LIMITS_MAX_ISSUES_PER_CLI_CALL: '3' } })
    const { stderr } = await stage.fix(stage.made.findings)
    const shown = [...stderr.matchAll(/(BE|FE) Batch (\d)\/(\d) · workload (\d+) · \S/g)].map(([, ...parts]) => parts)
    assert.ok(shown.some(([kind]) => kind === 'BE') && shown.some(([kind]) => kind === 'FE'), stderr)
    for (const kind of ['BE', 'FE']) {
      const own = shown.filter(([each]) => each === kind)
      assert.deepEqual(
        own.map(([, nth]) => Number(nth)),
        own.map((_, index) => index + 1),
      )
      assert.ok(own.every(([, , count, points]) => Number(count) === own.length && Number(points) > 0))
    }
    assert.doesNotMatch(
      stderr,
      /StructuredOutput|"issue_code"|"score"/,
      'the answers for machines are not shown to people',
    )
    await checkInvariants(stage)
  })

  test('a session is watched and seen at work, without a client of Temporal, and cancelled by another command', async (t) => {
    const stage = await setHeldStage(t)
    const { fix, id } = await startHeld(stage)
    const imports = join(stage.folder, 'imports')
    writeFileSync(imports, '')
    const recorder = new URL('../support/record-temporal-imports.ts', import.meta.url).href
    const recorded = { NODE_OPTIONS: `--import=${recorder}`, FIXWRIGHT_TEST_IMPORTS: imports }
    const watch = running(stage.commandWith(recorded, 'watch', id, '--json'))
    await watch.prints(/fix_call_started/)
    const { stdout } = await stage.commandWith(recorded, 'status', id, '--json').ended
    assert.equal(JSON.parse(stdout).health.workflow, 'running')
    assert.doesNotMatch(readFileSync(imports, 'utf8'), /@temporalio\/client/)
    const before = await statusOf(stage, id)
    assert.deepEqual(before.health, { worker: 'running', workflow: 'running' })
    assert.equal(before.issues[0].status, 'in_progress')

    const cancel = await stage.command('cancel', id).ended
    assert.equal(cancel.status, 0, cancel.stderr)
    assert.match(cancel.stdout, /cancelled: 0 of 3 fixed/)
    const [watched, fixed] = await Promise.all([watch.ended, fix.ended])
    assert.deepEqual([watched.status, fixed.status], [130, 130])
    const events = watched.stdout
      .trim()
      .split('\n')
      .map((line) => SessionEvent.parse(JSON.parse(line)))
    assert.deepEqual(events, await stage.events(id))
    assert.equal((await statusOf(stage, id)).status, 'cancelled')
    await checkInvariants(stage)
  })

  test('a session whose instance is gone says so, waits, and goes on with the next up', async (t) => {
    const stage = await setHeldStage(t)
    const { fix, id } = await startHeld(stage)
    fix.child.kill('SIGKILL')
    await fix.ended
    killInstance(stage)
    const alone = await statusOf(stage, id)
    assert.equal(alone.health.worker, 'none')
    assert.match(alone.health.note, /next "fixwright up"/)
    const watch = stage.command('watch', id)
    await watch.says(/no instance of Fixwright runs/)
    stage.model.release()

    const up = stage.command('up')
    const watched = await watch.ended
    assert.equal(watched.status, 0, watched.stderr)
    assert.match(watched.stderr, /being worked on again/)
    up.child.kill('SIGINT')
    assert.equal((await up.ended).status, 0)
    await checkInvariants(stage)
  })

  test('cancelling a session that nobody works on starts an instance for it', async (t) => {
    const stage = await setHeldStage(t)
    const { fix, id } = await startHeld(stage)
    fix.child.kill('SIGKILL')
    await fix.ended
    killInstance(stage)
    const cancel = await stage.command('cancel', id, '--json').ended
    assert.equal(cancel.status, 0, cancel.stderr)
    assert.equal(cancel.result?.status, 'cancelled')
    await checkInvariants(stage)
  })

  test('a workflow that was ended from outside is seen, and closed by cancel', async (t) => {
    const stage = await setHeldStage(t)
    const { fix, id } = await startHeld(stage)
    fix.child.kill('SIGKILL')
    await fix.ended
    const [session] = await stage.sessions()
    await (await stage.client()).workflow.getHandle(session?.workflow_id ?? '').terminate('by a person')
    assert.match((await statusOf(stage, id)).health.note, /ended from outside/)
    const cancel = await stage.command('cancel', id).ended
    assert.equal(cancel.status, 0, cancel.stderr)
    assert.match(cancel.stdout, /failed: 0 of 3 fixed[\s\S]*ended because: its workflow was ended from outside\n/)
    const issues = await stage.read((store) => store.issues.list())
    assert.ok(issues.every(({ status }) => status === 'open'))
  })
  test('a session whose start was killed before its workflow began is forgotten by cancel', async (t) => {
    const stage = await setMadeStage(t, 1)
    await stage.fix(stage.made.findings)
    // An instance would start it.
    await stage.quiet()
    const [done] = await stage.sessions()
    assert.ok(done)
    const { started_at: _, updated_at: __, ended_at: ___, result: ____, run_id: _____, ...rest } = done
    const workflow_id = `${done.workflow_id}-never`
    const early = await openStore(stage.home.database, { now: () => new Date(Date.now() - 120_000) })
    t.after(() => early.close())
    await insertSession(early, { ...rest, session_id: 'fx-never', workflow_id, status: 'pending', issue_ids: [] })
    const cancel = await stage.command('cancel', 'fx-never').ended
    assert.deepEqual([cancel.status, cancel.stdout], [0, 'session fx-never had never started: it is forgotten\n'])
    assert.equal((await stage.sessions()).length, 1)
  })
})
