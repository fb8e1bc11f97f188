// FACTS "How both CLIs misbehave", column claude: each line with the real CLI against the scripted model.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ScenarioInput } from '../../../rehearsal/scenario.ts'
import { findMarkedProcesses } from '../../../src/platform/processes/marked-processes.ts'
import { until } from '../../support/until.ts'
import { answerOf, type FailureRow, failureOf, setStage, testFailures } from '../support.ts'

const RESET = 1_900_000_000
const SCHEMA = { type: 'object', properties: { results: { type: 'array' } }, required: ['results'] }

const oneRetry = { maxRetryWaitMs: 100 }
/** Of itself the CLI asks again after half a second, which may pass before it has heard that it is to end. */
const noHurry = { retryAfterSeconds: 20 }

const REFUSALS: readonly FailureRow[] = [
  {
    title: 'out of credit is billing, at once',
    fault: { kind: 'http', preset: 'out-of-credit' },
    expected: { class: 'billing' },
    said: /credit balance is too low/i,
    requests: 1,
  },
  {
    title: 'a payment that is due is billing',
    fault: { kind: 'http', status: 402, message: 'Payment required' },
    expected: { class: 'billing' },
    requests: 1,
  },
  {
    title: 'a key that is refused is access, at the first refusal',
    fault: { kind: 'http', preset: 'unauthorized', ...noHurry },
    expected: { class: 'access', credentials: true },
    requests: 1,
  },
  {
    title: 'a key that may not is access',
    fault: { kind: 'http', preset: 'forbidden' },
    expected: { class: 'access', credentials: true },
    requests: 1,
  },
  {
    title: 'no login at all is access, without a request',
    fault: { kind: 'hang' },
    expected: { class: 'access', credentials: true },
    said: /not logged in/i,
    requests: 0,
    environment: { ANTHROPIC_API_KEY: '' },
  },
  {
    title: 'a login that is refused may renew its token once, and is access then',
    fault: { kind: 'http', preset: 'unauthorized' },
    expected: { class: 'access', credentials: true },
    environment: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'dummy' },
  },
  {
    title: 'a rate limit is a limit, and nobody waits in silence',
    fault: { kind: 'http', preset: 'rate-limit', ...noHurry },
    expected: { class: 'limit', reason: 'rate_limit' },
    requests: 1,
    more: oneRetry,
  },
  {
    title: 'a usage limit says until when',
    fault: { kind: 'http', preset: 'usage-limit', resetAt: RESET },
    expected: { class: 'limit', reason: 'usage_limit', until: RESET * 1_000 },
    environment: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'dummy' },
    requests: 1,
  },
  {
    title: 'a usage limit told only by its text says until when',
    fault: { kind: 'http', preset: 'usage-limit', resetAt: RESET },
    expected: { class: 'limit', reason: 'usage_limit', until: RESET * 1_000 },
    environment: { CLAUDE_CODE_MAX_RETRIES: '1' },
    requests: 2,
  },
  {
    title: 'an overloaded provider is a limit',
    fault: { kind: 'http', preset: 'overloaded', ...noHurry },
    expected: { class: 'limit', reason: 'overloaded' },
    more: oneRetry,
    requests: 1,
  },
  {
    title: 'a provider that errs for ever is a limit, also where the CLI itself gives up first',
    fault: { kind: 'http', preset: 'server-error' },
    expected: { class: 'limit', reason: 'overloaded' },
    environment: { CLAUDE_CODE_MAX_RETRIES: '1' },
    requests: 2,
  },
  {
    title: 'a model that nobody knows is access',
    fault: { kind: 'http', preset: 'model-not-found' },
    expected: { class: 'access' },
  },
  {
    title: 'a prompt that is too long is no usable work',
    fault: { kind: 'http', preset: 'prompt-too-long' },
    expected: { class: 'no_usable_work', reason: 'crash' },
    said: /too long/,
    requests: 1,
  },
  {
    title: 'a deadline that hits while the provider is refusing is a limit, not a time-out',
    fault: { kind: 'http', preset: 'overloaded' },
    expected: { class: 'limit', reason: 'overloaded' },
    more: { deadlineMs: 8_000 },
  },
  {
    title: 'no answer at all is a time-out at the deadline',
    fault: { kind: 'hang' },
    expected: { class: 'no_usable_work', reason: 'timeout' },
    more: { deadlineMs: 2_500 },
  },
  {
    title: 'no answer that the CLI itself gives up on is infrastructure',
    fault: { kind: 'hang' },
    expected: { class: 'infrastructure' },
    environment: { API_TIMEOUT_MS: '500', CLAUDE_CODE_MAX_RETRIES: '1' },
  },
  {
    title: 'an answer that is empty twice is empty',
    fault: { kind: 'text', preset: 'empty' },
    expected: { class: 'no_usable_work', reason: 'empty' },
    requests: 2,
  },
  {
    title: 'an answer that never ends is unreadable',
    fault: { kind: 'text', preset: 'half' },
    expected: { class: 'no_usable_work', reason: 'unreadable' },
    said: /maximum/,
  },
  {
    title: 'the wrong form, five times, is unreadable',
    fault: { kind: 'text', preset: 'wrong-schema' },
    expected: { class: 'no_usable_work', reason: 'unreadable' },
    more: { schema: SCHEMA },
    requests: 5,
  },
]

describe('claude: what refuses or spoils a call has its class', { concurrency: 3 }, () => {
  testFailures('claude', REFUSALS)
})

describe('claude: what looks like a failure and is none', { concurrency: 3 }, () => {
  test('a stream that is cut is asked for again', async (t) => {
    const { model, call, progress } = await setStage(t, { faults: [{ match: { until: 1 }, fault: { kind: 'cut' } }] })
    assert.match(answerOf(await call('claude')).text, /"results"/)
    assert.ok(model.calls().length >= 2)
    assert.ok(progress.some((each) => each.kind === 'retry'))
  })

  test('a stream that stops is asked for again (the CLI waits 300 s, we 120; here the least it takes, 10 s)', async (t) => {
    const { call, environment } = await setStage(t, { faults: [{ match: { until: 1 }, fault: { kind: 'stall' } }] })
    const quick = { ...environment, CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '10000' }
    assert.match(answerOf(await call('claude', { environment: quick })).text, /"results"/)
  })

  test('a refusal that passes is waited out, and told', async (t) => {
    const { call, progress } = await setStage(t, {
      faults: [{ match: { until: 2 }, fault: { kind: 'http', preset: 'overloaded' } }],
    })
    answerOf(await call('claude'))
    const retries = progress.flatMap((each) => (each.kind === 'retry' ? [each.status] : []))
    assert.deepEqual(retries, [529, 529])
  })

  test('an answer cut at the longest length once is put together from both halves', async (t) => {
    const whole = JSON.stringify({ results: [], padding: 'x'.repeat(200) })
    const { call } = await setStage(t, {
      faults: [
        { match: { nth: 1 }, fault: { kind: 'text', preset: 'half' } },
        { match: { nth: 2 }, fault: { kind: 'text', text: whole.slice(100) } },
      ],
    })
    const { text, report } = answerOf(await call('claude'))
    assert.ok(text.endsWith(whole.slice(100)) && text.startsWith('{"results"'), text)
    assert.match(report.notes.join(), /put together/)
  })

  test('asked for a form the model only talks: the text comes back, without structured output', async (t) => {
    const { call, model } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'text', preset: 'prose' } }] })
    const answer = answerOf(await call('claude', { schema: SCHEMA }))
    assert.match(answer.text, /seems fine/)
    assert.equal(answer.structured, undefined)
    assert.equal(model.calls().length, 2, 'one nudge')
  })

  test('an answer of 5 MB comes whole, and is not kept in memory as one line of the log', async (t) => {
    const { call } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'text', preset: 'huge' } }] })
    const { text, report } = answerOf(await call('claude'))
    assert.ok(text.length > 5_000_000)
    assert.ok(text.endsWith('}') && readFileSync(report.stdoutFile).length > 5_000_000)
  })

  test('repetition comes whole', async (t) => {
    const { call } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'text', preset: 'repetition' } }] })
    assert.equal(answerOf(await call('claude')).text.length, 'The same sentence again and again. '.length * 2_000)
  })

  test('a budget that is spent ends the call after the turn that spent it, as budget [S0-22]', async (t) => {
    const { call } = await setStage(t, { issues: { A: { fixes: [{ steps: [write('a.txt')] }] } } })
    const result = await call('claude', { maxBudgetUsd: 0.0001 })
    assert.equal(failureOf(result).class, 'budget')
    assert.ok((result.report.costUsd ?? 0) > 0.0001)
  })
})

describe('claude: when someone ends it', { concurrency: 3 }, () => {
  const busy: ScenarioInput = {
    issues: { A: { fixes: [{ steps: [{ tool: 'bash', command: 'touch started; sleep 97' }] }] } },
  }

  for (const [signal, toGroup, expected] of [
    ['SIGTERM', false, { class: 'infrastructure', killed: true }],
    ['SIGKILL', false, { class: 'infrastructure', killed: true }],
    ['SIGINT', false, { class: 'no_usable_work', reason: 'crash' }],
  ] as const) {
    for (const pidNamespace of ['auto', 'off'] as const) {
      test(`${signal} from outside while its tool runs, namespace ${pidNamespace}: a class, and no shell is left`, async (t) => {
        const { call, work, marker } = await setStage(t, busy)
        const running = call('claude', { pidNamespace })
        await until('the tool runs', () => exists(join(work, 'started')))
        const cli = findMarkedProcesses(marker).find(({ identity }) => commandOf(identity.pid).includes('--print'))
        assert.ok(cli, 'the CLI is found by its marker')
        process.kill(toGroup ? -cli.group : cli.identity.pid, signal)
        const { detail, ...failure } = failureOf(await running)
        assert.deepEqual(failure, expected, detail)
        assert.deepEqual(findMarkedProcesses(marker), [])
      })
    }
  }

  for (const pidNamespace of ['auto', 'off'] as const) {
    test(`a cancellation while its tool runs throws the signal's own reason, namespace ${pidNamespace}`, async (t) => {
      const { call, work, marker } = await setStage(t, busy)
      const controller = new AbortController()
      const running = call('claude', { pidNamespace, signal: controller.signal })
      await until('the tool runs', () => exists(join(work, 'started')))
      const reason = new Error('a person said stop')
      controller.abort(reason)
      await assert.rejects(running, (error) => error === reason)
      assert.deepEqual(findMarkedProcesses(marker), [], 'the shell in a session of its own is gone too')
    })

    test(`a deadline while its tool runs is a time-out, and the shell is gone, namespace ${pidNamespace}`, async (t) => {
      const { call, marker } = await setStage(t, busy)
      const result = await call('claude', { pidNamespace, deadlineMs: 3_000 })
      assert.deepEqual(failureOf(result), {
        class: 'no_usable_work',
        reason: 'timeout',
        detail: 'no answer within 3 s',
      })
      assert.deepEqual(findMarkedProcesses(marker), [])
    })
  }

  test('what its tool left running in the background is ended with it, also when all went well', async (t) => {
    const command = 'setsid sleep 96 >/dev/null 2>&1 & echo $! > left'
    const { call, work, marker } = await setStage(t, {
      issues: { A: { fixes: [{ steps: [{ tool: 'bash', command }] }] } },
    })
    const { report } = answerOf(await call('claude', { pidNamespace: 'off' }))
    assert.ok(exists(join(work, 'left')))
    assert.match(report.notes.join(), /still running at its end/)
    assert.deepEqual(findMarkedProcesses(marker), [])
  })

  test('an executable that is not there is infrastructure, and says how to get it', async (t) => {
    const { call } = await setStage(t)
    const failure = failureOf(await call('claude', { command: 'claude-that-is-not-there' }))
    assert.equal(failure.class, 'infrastructure')
    assert.match(failure.detail, /npm install -g/)
  })
})

function write(file: string) {
  return { tool: 'write', file, content: 'x' } as const
}

function exists(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
