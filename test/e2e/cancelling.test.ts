// A person stops a session: the attempt in work is taken back, what is committed stays, the rest is open again, and within three
// seconds nothing of it runs any more, however stubborn.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findMarkedProcesses } from '../../src/platform/processes/marked-processes.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, bash } from '../support/scripting.ts'
import { type E2eStage, gitAt, setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

const ONE_BY_ONE = ['--set', 'limits.max_issues_per_cli_call=1']
/** A child that no polite word ends, in a session of its own, and a shell that waits for something else. */
const STUBBORN = `setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 0.2; done' >/dev/null 2>&1 & sleep 600`

/** A look at the process table takes longer than a moment between two. */
const LOOK_MS = 30

/** Watches the process table until it is told to stop. */
function watchProcesses(sessionId: string) {
  let lastSeen = 0
  let lateMs = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      if (findMarkedProcesses(sessionId).length > 0) lastSeen = Date.now()
      const from = performance.now()
      await delay(LOOK_MS)
      lateMs += performance.now() - from - LOOK_MS
    }
  })()
  return async () => {
    isOver = true
    await watching
    return { lastSeen, lateMs }
  }
}

/** When the session's workflow took the word to stop, by its server's clock, which is this machine's. */
async function toldAt(stage: E2eStage, sessionId: string): Promise<number> {
  const events = (await stage.histories(sessionId)).flatMap((history) => history.events ?? [])
  const told = events.find(
    (event) =>
      event.workflowExecutionUpdateAcceptedEventAttributes ??
      event.workflowExecutionSignaledEventAttributes ??
      event.workflowExecutionCancelRequestedEventAttributes,
  )
  assert.ok(told?.eventTime, 'the history has the word to stop')
  return Number(told.eventTime.seconds) * 1000 + (told.eventTime.nanos ?? 0) / 1e6
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

test('a cancelled session ends with status 130, keeps its commits and leaves its issues open [C10]', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fix_challenger', code: 'T-002' }, fault: { kind: 'hold' } }] },
  })
  const fix = stage.start(stage.made.findings, ONE_BY_ONE)
  await stage.model.waitFor({ role: 'fix_challenger', code: 'T-002' })
  fix.child.kill('SIGINT')
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 130, stderr)
  assert.ok(result)
  assert.deepEqual([result.status, result.ending?.class, result.commits.length], ['cancelled', 'cancelled', 1])
  assert.deepEqual(
    result.results.map(({ status: end }) => end),
    ['completed', 'skipped'],
  )
  assert.equal(stage.git('diff', '--name-only', 'main', `${result.branch_name}`), 'ledger/part_000.py')
  const [open] = await stage.read((store) => store.issues.list({ issue_code: 'T-002' }))
  assert.equal(open?.status, 'open')
  assert.equal((await stage.events(result.session_id)).at(-1)?.type, 'fix_session_cancelled')
  await checkInvariants(stage, 'cancelled')
})

describe('within three seconds of the word to stop nothing of a session runs', () => {
  for (const namespace of ['off', 'auto']) {
    for (const { what, marks, ...at } of [
      { what: 'a tool of the fixer that ignores TERM in a session of its own', role: 'fixer', marks: /trap/ },
      { what: 'a challenger that re-started itself as a child', role: 'fix_challenger', marks: /gemini/ },
      { what: 'a check that ignores TERM', role: 'check', marks: /trap/ },
    ]) {
      test(`${what}; PID namespaces ${namespace} (lesson: cancelling left the CLI running)`, async (t) => {
        const stage = await setMadeStage(t, 2, {
          change: (made) => {
            if (at.role === 'fixer') attempts(made, 'T-002', [bash(STUBBORN)])
          },
          scenario: {
            faults:
              at.role === 'fix_challenger'
                ? [{ match: { role: at.role, code: 'T-002' }, fault: { kind: 'hold' } }]
                : [],
          },
        })
        const gemini = join(stage.folder, 'gemini')
        const real = join(packageRoot(), 'node_modules/.bin/gemini')
        writeFileSync(gemini, `#!/bin/sh\nunset GEMINI_CLI_NO_RELAUNCH\nexec "${real}" "$@"\n`, { mode: 0o755 })
        const check = `grep -q 'size if size' ledger/part_000.py && exit 0; ${STUBBORN}`
        const fix = stage.start(stage.made.findings, [
          ...ONE_BY_ONE,
          ...['--set', `sandbox.pid_namespace=${namespace}`],
          ...(at.role === 'fix_challenger' ? ['--set', `gemini.command=${gemini}`] : []),
          ...(at.role === 'check' ? ['--verify', check] : []),
        ])
        let id = ''
        await until('the session is at the work that is to be stopped', async () => {
          id = (await stage.sessions())[0]?.session_id ?? 'none'
          const marked = findMarkedProcesses(id).filter(({ identity }) => marks.test(commandOf(identity.pid)))
          return marked.length >= 2 && (at.role !== 'fix_challenger' || stage.model.calls().some(isHeld))
        })

        const over = watchProcesses(id)
        const cancel = await stage.command('cancel', id, '--reason', 'that is enough').ended
        assert.equal(cancel.status, 0, cancel.stderr)
        const { status, result, stderr } = await fix.ended
        const { lastSeen, lateMs } = await over()
        assert.equal(status, 130, stderr)

        // What a busy machine kept from this test's own timer it kept from the session, too.
        const tookMs = lastSeen - (await toldAt(stage, id))
        assert.ok(tookMs < 3_000 + lateMs, `${Math.round(tookMs)} ms, the machine being ${Math.round(lateMs)} ms late`)
        assert.deepEqual([result?.status, result?.ending?.class], ['cancelled', 'cancelled'])
        assert.match(result?.ending?.reason ?? '', /^cancelled by \S+.*: that is enough$/)
        const last = (await stage.events(id)).at(-1)
        assert.equal(last?.type, 'fix_session_cancelled')
        assert.match(last?.message ?? '', /cancelled by \S+.*: that is enough · told from terminal on \S+/)
        const committed = at.role === 'check' ? 0 : 1
        assert.deepEqual(
          [result?.issues_fixed, result?.issues_failed, result?.issues_skipped],
          [committed, 0, 2 - committed],
        )
        const issues = await stage.read((store) => store.issues.list())
        assert.deepEqual(issues.filter(({ status: now }) => now === 'open').length, 2 - committed)
        await checkInvariants(stage)

        function isHeld({ role, codes }: { readonly role: string; readonly codes: readonly string[] }): boolean {
          return role === 'fix_challenger' && codes.includes('T-002')
        }
      })
    }
  }
})

describe('a session that waits is cancelled at once', { concurrency: 2 }, () => {
  const waits = {
    async limit(stage: Stage) {
      const resetAt = Math.ceil(Date.now() / 1000) + 3_600
      const limit = { kind: 'http', preset: 'usage-limit', resetAt } as const
      stage.model.setScenario({ ...stage.made.scenario, faults: [{ match: { role: 'fixer' }, fault: limit }] })
      return stage.start(stage.made.findings, ['--set', 'claude.models=["opus"]'])
    },
    async branch(stage: Stage) {
      gitAt(stage.repository, ['branch', 'fix/mine'])
      const fix = stage.start(stage.made.findings, ['--branch', 'fix/mine', '--use-existing-branch'])
      await stage.model.waitFor({ role: 'fix_challenger' })
      gitAt(stage.repository, ['worktree', 'add', '--quiet', join(stage.folder, 'checkout'), 'fix/mine'])
      stage.model.release()
      return fix
    },
    async clarification(stage: Stage) {
      const clarify = [{ questions: [{ issue_code: 'T-001', question: 'Which rule?' }] }]
      stage.model.setScenario({ ...stage.made.scenario, clarify })
      return stage.start(stage.made.findings, ['--clarify'])
    },
    async plan(stage: Stage) {
      return stage.start(stage.made.findings, ['--approve-plan', '--set', 'planner=rules'])
    },
  }
  type Stage = Awaited<ReturnType<typeof setMadeStage>>

  for (const [kind, wait] of Object.entries(waits)) {
    test(`for ${kind}`, async (t) => {
      const stage = await setMadeStage(t, 1, {
        attempts: 1,
        scenario: { faults: [{ match: { role: 'fix_challenger' }, fault: { kind: 'hold' } }] },
      })
      const fix = await wait(stage)
      await until('it waits', async () => (await stage.sessions())[0]?.waiting?.kind === kind)
      const id = (await stage.sessions())[0]?.session_id ?? ''
      const over = watchProcesses(id)
      fix.child.kill('SIGINT')
      const { status, result, stderr } = await fix.ended
      const { lateMs } = await over()
      assert.equal(status, 130, stderr)
      assert.deepEqual([result?.status, result?.issues_skipped, result?.commits.length], ['cancelled', 1, 0])
      const [issue] = await stage.read((store) => store.issues.list())
      assert.equal(issue?.status, 'open')
      const last = (await stage.events(id)).at(-1)
      const tookMs = Date.parse(last?.timestamp ?? '') - (await toldAt(stage, id))
      assert.ok(tookMs < 3_000 + lateMs, `${Math.round(tookMs)} ms, the machine being ${Math.round(lateMs)} ms late`)
      if (kind === 'branch') gitAt(stage.repository, ['worktree', 'remove', join(stage.folder, 'checkout')])
      await checkInvariants(stage)
    })
  }
})
