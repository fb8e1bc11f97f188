// What activities promise about Temporal, about what a fixer says, and about what the checks of a project leave behind.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { readDataBlocks } from '../../rehearsal/prompt.ts'
import {
  type AgentRequest,
  type CliRunContext,
  callAgent,
  type MaskedPrompt,
} from '../../src/activities/agent-call/call-agent.ts'
import { callWithRepair } from '../../src/activities/agent-call/call-with-repair.ts'
import { type Heartbeat, loadSession } from '../../src/activities/context.ts'
import { withHeartbeat } from '../../src/activities/index.ts'
import { serializeByKey } from '../../src/activities/serialize-by-key.ts'
import type { CallResult } from '../../src/agents/provider-contract.ts'
import type { SendWait } from '../../src/artifacts/artifact-store.ts'
import { FixwrightError } from '../../src/domain/errors/fixwright-error.ts'
import { BUCKET_FAILURE } from '../../src/domain/workflow-types/temporal-names.ts'
import { AT } from '../platform/git/support.ts'
import { type Bench, commitOfA, DEFAULTS, QUIET, S1, setBench, verifiedBy } from './support.ts'

describe('an attempt', () => {
  for (const reason of ['CANCELLED', 'WORKER_SHUTDOWN', 'TIMED_OUT', 'NOT_FOUND', 'PAUSED', 'RESET']) {
    test(`that is ended (${reason}) ends with Temporal's own reason, whatever its processes said when they were ended`, async () => {
      const environment = new MockActivityEnvironment({}, { logger: QUIET })
      const running = environment.run(() =>
        withHeartbeat(async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          throw new Error('claude was ended from outside')
        }),
      )
      environment.cancel(reason as never)
      await assert.rejects(running, (error) => error instanceof CancelledFailure)
    })
  }

  test('sends heartbeats while it works, and none if it ends before one is due', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 5_000 }, { logger: QUIET })
    const sent: unknown[] = []
    environment.on('heartbeat', (progress: unknown) => sent.push(progress))
    await environment.run(() => withHeartbeat(async () => undefined))
    assert.deepEqual(sent, [])
    await environment.run(() =>
      withHeartbeat(async ({ reportProgress }) => {
        t.mock.timers.tick(1_000)
        reportProgress('Edit src/cart.ts')
        t.mock.timers.tick(1_000)
      }),
    )
    assert.deepEqual(sent, ['started', 'Edit src/cart.ts'])
  })

  test('that had done its work when it was ended has done it', async () => {
    const environment = new MockActivityEnvironment({}, { logger: QUIET })
    const running = environment.run(() =>
      withHeartbeat(async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return 'committed'
      }),
    )
    environment.cancel()
    assert.equal(await running, 'committed')
  })

  test('that fails says so in a few words, however many git or a CLI had', async () => {
    const environment = new MockActivityEnvironment({}, { logger: QUIET })
    const failing = environment.run(() =>
      withHeartbeat(async () => {
        throw new Error(`git said: ${'x'.repeat(1_000_000)}`, { cause: new Error('y'.repeat(1_000_000)) })
      }),
    )
    const error = await failing.catch((reason: ApplicationFailure) => reason)
    assert.ok(error instanceof ApplicationFailure)
    assert.match(error.message, /^git said: xxx/)
    assert.ok(error.message.length <= 1000 && (error.stack?.length ?? 0) <= 2500 && error.cause === undefined)
    assert.notEqual(error.nonRetryable, true)
  })
})

test('attempts of one session come one after the other, those of two side by side', async () => {
  const inTurn = serializeByKey()
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const work = (name: string, until?: Promise<void>) => async () => {
    order.push(`${name} begins`)
    await until
    order.push(`${name} ends`)
    if (name === 'a1') throw new Error('lost')
  }
  const all = [inTurn('a', work('a1', first.promise)), inTurn('a', work('a2')), inTurn('b', work('b1'))]
  await all[2]
  first.resolve()
  assert.deepEqual(
    (await Promise.allSettled(all)).map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(order, ['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends'])
})

describe('a call of an agent', () => {
  async function asked(
    bench: Bench,
    run: AgentRequest['run'],
    { attempt = 1, signal }: { attempt?: number; signal?: AbortSignal } = {},
  ) {
    const session = await loadSession(bench.shop, S1)
    const environment = new MockActivityEnvironment({ attempt }, { logger: QUIET })
    const beat: Heartbeat = { signal: signal ?? new AbortController().signal, reportProgress: () => undefined }
    const question = {
      key: 'k',
      role: 'fixer',
      prompt: 'words',
      about: 'A',
      codes: ['A'],
      deadlineMs: 1000,
      run,
    } as const
    return await environment.run(() => callAgent(bench.shop, session, question, beat))
  }

  function result(place: { scratch: string }, outcome: object): CallResult {
    mkdirSync(place.scratch, { recursive: true })
    const files = { stdoutFile: '/dev/null', stderrFile: '/dev/null' }
    const report = {
      model: 'opus',
      modelsTried: ['opus'],
      costUsd: 0.25,
      conversationCostUsd: 0.75,
      contextTokens: 4000,
      durationMs: 5,
      notes: [],
      conversationId: 'c1',
    }
    return { report: { ...report, ...files }, ...outcome } as unknown as CallResult
  }

  test('that has to be asked again for a readable answer keeps to what a prompt may hold', async (t) => {
    const bench = await setBench(t)
    const limits = { ...DEFAULTS.limits, max_prompt_characters: 60_000 }
    await bench.session(S1, { A: 'src/app.py' }, { limits })
    const session = await loadSession(bench.shop, S1)
    const prompts: string[] = []
    const question = { key: 'k', role: 'fixer', prompt: 'words', about: 'A', codes: ['A'], iteration: 1 } as const
    const run = async (place: CliRunContext, { prompt }: MaskedPrompt) => {
      prompts.push(prompt)
      return result(place, { kind: 'answered', text: 'a line of what is no JSON\n'.repeat(2000) })
    }
    const asking = { ...question, reply: 'fix', deadlineMs: 1000, startsOver: false, run } as const
    const beat: Heartbeat = { signal: new AbortController().signal, reportProgress: () => undefined }
    await new MockActivityEnvironment({}, { logger: QUIET }).run(() =>
      callWithRepair(bench.shop, session, asking, beat),
    )
    const [, repair = ''] = prompts
    assert.match(repair, /Of the block `reply`, the last \d+ of 2001 lines/)
    const shown = readDataBlocks(repair).get('reply')?.length ?? 0
    assert.ok(shown <= 30_000 && shown > 29_000, `half of it is for the answer: ${shown}`)
  })

  async function setAsking(t: Parameters<typeof setBench>[0]): Promise<Bench> {
    const bench = await setBench(t)
    await bench.session(S1, { A: 'src/app.py' })
    return bench
  }

  test('that fails for nobody’s fault is made again, and its costs stay on record', async (t) => {
    const bench = await setAsking(t)
    const failure = { class: 'infrastructure', detail: 'fetch failed' }
    await assert.rejects(
      asked(bench, async (place) => result(place, { kind: 'failed', failure })),
      /fetch failed/,
    )
    const answer = await asked(bench, async (place) => result(place, { kind: 'answered', text: 'yes' }))
    const conversation = { id: 'c1', costUsd: 0.75, tokens: 4000 }
    assert.deepEqual(answer, { kind: 'answered', text: 'yes', conversation })
    const calls = await bench.store.agentCalls.listForSession(S1)
    assert.deepEqual(
      calls.map(({ state, cost_usd }) => [state, cost_usd]),
      [
        ['lost', 0.25],
        ['finished', 0.25],
      ],
    )
    const told = (await bench.store.events.listAfter(S1)).map(({ type }) => type)
    assert.deepEqual(told, ['fix_call_started', 'fix_call_completed', 'fix_call_started', 'fix_call_completed'])
    const recalled = await asked(bench, () => assert.fail('paid for twice'))
    assert.deepEqual(recalled, answer)
  })

  test('whose CLI is missing is given up after a moment, not after minutes', async (t) => {
    const bench = await setAsking(t)
    const failure = { class: 'infrastructure', lasting: true, detail: 'claude is not installed' }
    for (const [attempt, nonRetryable] of [
      [1, false],
      [3, true],
    ] as const) {
      await assert.rejects(
        asked(bench, async (place) => result(place, { kind: 'failed', failure }), { attempt }),
        (error) => error instanceof ApplicationFailure && Boolean(error.nonRetryable) === nonRetryable,
      )
    }
  })

  test('that is cancelled leaves no marker, and no claim once the session is closed', async (t) => {
    const bench = await setAsking(t)
    const reason = new CancelledFailure('CANCELLED')
    await assert.rejects(
      asked(bench, () => Promise.reject(reason)),
      reason,
    )
    assert.deepEqual(readdirSync(bench.shop.markersFolder), [])
    await bench.run('closeSession', { sessionId: S1, outcomes: {}, at: Date.now() })
    assert.deepEqual(
      (await bench.store.agentCalls.listForSession(S1)).map(({ state }) => state),
      ['lost'],
    )
  })
})

test('what the checks leave behind on the untouched base is in no snapshot of a fix, and what they change in no commit', async (t) => {
  const bench = await setBench(t)
  const commands = ['echo run >> report.xml; mkdir -p out; echo x > out/x; echo changed >> README.md']
  await bench.session(S1, { A: 'src/app.py' }, verifiedBy(commands))
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const verdict = await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head: base })
  assert.equal(verdict.verdict, 'passed')
  assert.match(JSON.stringify(await bench.store.events.listAfter(S1)), /never committed: out\/, report.xml/)
  // The checks' changes to tracked files are taken back before anybody works here.
  const first = await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base2', head: base })
  assert.equal(first.verdict, 'passed')
  const files = { 'src/app.py': 'x = 1\n', 'report.xml': 'again', 'out/y': 'y', 'README.md': 'hello\n' }
  const tree = await bench.fixed(S1, 'fix', files, 'A')
  const changed = bench.git(['-C', bench.workspace(S1).gitDir, 'diff-tree', '-r', '--name-only', base, tree])
  assert.equal(changed, 'src/app.py')
})

test('a commit is not made for a session that was closed meanwhile', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  const { base, branch = '' } = await bench.run('openSession', { sessionId: S1 })
  const tree = await bench.fixed(S1, 'fix', { 'src/app.py': 'x = 1\n' }, 'A')
  await bench.store.sessions.update(S1, { status: 'failed' })
  const input = commitOfA(S1, base)
  await assert.rejects(bench.run('commitStage', { ...input, tree, verified: 'passed', at: 0 }), /closed meanwhile/)
  assert.equal(bench.git(['branch', '--list', branch]), '')
})

test('a commit that would move another branch, as its own became a name of that, ends the session with the reason', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  const { base, branch = '' } = await bench.run('openSession', { sessionId: S1 })
  const tree = await bench.fixed(S1, 'fix', { 'src/app.py': 'x = 1\n' }, 'A')
  bench.git(['symbolic-ref', `refs/heads/${branch}`, 'refs/heads/main'])
  const input = commitOfA(S1, base)
  await assert.rejects(
    bench.run('commitStage', { ...input, tree, verified: 'passed', at: Date.now() }),
    (error: Error & { nonRetryable?: boolean }) =>
      error.nonRetryable === true &&
      /another name of main.*: nothing was committed; put that right/.test(error.message),
  )
  assert.equal(bench.git(['rev-parse', 'main']), base)
})

test('a step waits for its bucket for seconds, and is tried again then; closing waits for none [S2-29]', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  const limits: unknown[] = []
  const sendWaiting = async (given?: unknown): Promise<void> => {
    limits.push(given)
    throw new FixwrightError('artifacts_unreachable', 'the bucket gives no answer')
  }
  const none = () => assert.fail('nobody asked for it')
  const bucket = { sendWaiting, listWaiting: none, setExpiry: none, renew: none, probe: none, readExpiry: none }
  const shop = { ...bench.shop, artifacts: { ...bench.shop.artifacts, bucket } }
  await assert.rejects(
    bench.run('openSession', { sessionId: S1 }, { shop }),
    (error) => error instanceof ApplicationFailure && error.type === BUCKET_FAILURE && !error.nonRetryable,
  )
  const [{ withinMs, signal, needed }] = limits as [Required<SendWait>]
  assert.ok(withinMs <= 1000 * 10 && signal instanceof AbortSignal)
  const own = { session_id: S1, kind: 'diff', name: 'x' } as const
  await bench.store.artifacts.link({ ...own, ref: `sha256:${'0'.repeat(64)}` })
  assert.deepEqual(await needed(), [`sha256:${'0'.repeat(64)}`], 'it waits for what its session has stored, no other')
  const ending = { class: 'cancelled', detail: 'enough' } as const
  const closed = await bench.run('closeSession', { sessionId: S1, outcomes: {}, ending, at: Date.now() }, { shop })
  assert.equal(closed.status, 'cancelled')
  assert.equal(limits.length, 1)
})

test('a session is closed also when its repository is gone', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  await bench.run('openSession', { sessionId: S1 })
  bench.remove()
  const ending = { class: 'infrastructure', detail: 'git failed' } as const
  const summary = await bench.run('closeSession', {
    sessionId: S1,
    outcomes: {},
    ending,
    at: Date.now(),
  })
  assert.deepEqual([summary.status, summary.skipped], ['failed', 1])
  assert.equal((await bench.store.events.findLast(S1))?.type, 'fix_session_error')
  assert.deepEqual(readdirSync(join(bench.home, 'sessions')), [])
})

test('a session whose repository git can’t read for a moment is closed when it can again: what landed just before a crash counts', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const tree = await bench.fixed(S1, 'fix', { 'src/app.py': 'x = 1\n' }, 'A')
  const input = commitOfA(S1, base)
  // The branch has moved, and nobody comes to write that down.
  const changeStatus = () => Promise.reject(new Error('killed'))
  const shop = { ...bench.shop, store: { ...bench.store, issues: { ...bench.store.issues, changeStatus } } }
  await assert.rejects(
    bench.run('commitStage', { ...input, tree, verified: 'passed', at: AT.getTime() }, { shop }),
    /killed/,
  )

  const close = () => bench.run('closeSession', { sessionId: S1, outcomes: {}, at: Date.now() })
  const config = join(bench.repository, '.git/config')
  const whole = readFileSync(config, 'utf8')
  writeFileSync(config, `${whole}[half`)
  await assert.rejects(close(), /bad config line/)
  writeFileSync(config, whole)
  assert.equal((await close()).fixed, 1)
  const result = (await bench.store.sessions.get(S1))?.result
  assert.deepEqual(
    result?.commits.map(({ issue_codes }) => issue_codes),
    [['A']],
  )
})
