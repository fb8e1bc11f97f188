// What the real CLI does not do at our will: hang or talk on after its result, say things in an order that is seldom.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readClaudeStream } from '../../../src/agents/claude/read-stream.ts'
import { watchRetries } from '../../../src/agents/provider/classify-api-error.ts'
import { answerOf, failureOf, setStage } from '../support.ts'

const RESULT = { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.5, num_turns: 1 }

test('a CLI that hangs after its result is ended after two seconds, and its result counts', async (t) => {
  const { call } = await scripted(t, [{ ...RESULT, result: 'done', session_id: 's1' }], 'sleep 97')
  const started = performance.now()
  const { text, report } = answerOf(await call())
  assert.equal(text, 'done')
  assert.ok(performance.now() - started < 90_000)
  assert.match(report.notes.join(), /did not end by itself/)
})

test('of several results the last one counts, and one that others wait behind does not end it', async (t) => {
  const { call } = await scripted(
    t,
    [
      { ...RESULT, result: 'first', total_cost_usd: 0.1, queued_turn_count: 1 },
      { ...RESULT, result: 'last', total_cost_usd: 0.3 },
    ],
    '',
  )
  const { text, report } = answerOf(await call())
  assert.equal(text, 'last')
  assert.equal(report.costUsd, 0.3)
})

test('a deadline that hits between the result and the end takes nothing from the result', async (t) => {
  const { call } = await scripted(t, [{ ...RESULT, result: 'done' }], 'sleep 97')
  assert.equal(answerOf(await call({ deadlineMs: 1_000 })).text, 'done')
})

test('a CLI that knows other options, or dies, or prints what is no JSON', async (t) => {
  const unknown = await scripted(t, [], 'echo "error: unknown option --setting-sources" >&2; exit 1')
  assert.equal(failureOf(await unknown.call()).class, 'infrastructure')
  const dies = await scripted(t, [], 'echo "{not json"; echo "[1]"; echo null; echo boom >&2; exit 7')
  const failure = failureOf(await dies.call())
  assert.deepEqual([failure.class, 'reason' in failure && failure.reason], ['no_usable_work', 'crash'])
  assert.match(failure.detail, /status 7; boom/)
})

test('a connection that failed, of which the CLI says `unknown`, is told as that', () => {
  const details: string[] = []
  const { system, stream } = reader((progress) => {
    if (progress.kind === 'retry') details.push(progress.detail)
  })
  system('api_retry', { error_status: null, error: 'unknown', retry_delay_ms: 547 })
  system('api_retry', { error_status: 529, error: 'overloaded', retry_delay_ms: 547 })
  assert.deepEqual(details, ['it was not reached, or did not answer', 'overloaded (529)'])
  assert.equal(stream.text(), '')
})

test('what a sub-agent says is no part of the answer', () => {
  const { stream, answer, result } = reader()
  answer('mine')
  answer('of a sub-agent', { parent_tool_use_id: 't1' })
  result('mine')
  assert.equal(stream.text(), 'mine')
})

test('two texts around a tool use are not run together', () => {
  const { stream, line, answer, result } = reader()
  answer('first I look')
  line({ type: 'user', message: { content: [{ type: 'tool_result', content: 'x' }] } })
  answer('then I answer')
  result('then I answer')
  assert.equal(stream.text(), 'then I answer')
})

test('a result that comes while sub-agents are at work ends nothing, and only the answer to their reports counts [S1-5]', () => {
  const { stream, line, system, answer, result } = reader()
  system('init')
  for (const task_id of ['a', 'b']) system('task_started', { task_id, task_type: 'local_agent' })
  system('task_started', { task_id: 'shell', task_type: 'local_bash' })
  line({ type: 'user', message: { content: [{ type: 'tool_result', content: 'launched' }] } })
  answer('I have handed it on')
  assert.equal(result('I have handed it on'), undefined)
  system('task_notification', { task_id: 'a', status: 'completed' })
  assert.equal(result('still waiting'), undefined)
  system('task_notification', { task_id: 'b', status: 'failed' })
  system('init')
  answer('all of them are done')
  assert.equal(result('all of them are done'), 'finish')
  assert.equal(stream.text(), 'all of them are done')
})

test('what a conversation fills is what its own last answer was given and said, and after a compaction what is left [S2-28]', () => {
  const { stream, system, answer } = reader()
  const usage = { input_tokens: 10, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 100, output_tokens: 1 }
  answer('x'.repeat(40), { message: { id: 'm1', content: [{ type: 'text', text: 'x'.repeat(40) }], usage } })
  assert.equal(stream.contextTokens(), 1_120)
  answer('', {
    message: { id: 'm1', content: [{ type: 'tool_use', name: 'Read', input: { f: 'y'.repeat(32) } }], usage },
  })
  assert.equal(stream.contextTokens(), 1_130, 'a message in two lines is one')
  answer('', { parent_tool_use_id: 't1', message: { id: 's1', content: [], usage: { input_tokens: 9_999 } } })
  assert.equal(stream.contextTokens(), 1_130, 'a sub-agent has a context of its own')
  system('compact_boundary', { compact_metadata: { trigger: 'auto', pre_tokens: 1_130, post_tokens: 200 } })
  assert.equal(stream.contextTokens(), 200)
  assert.deepEqual(stream.compaction(), { kind: 'done', from: 1_130, to: 200 })
})

test('tokens are those of the call with its sub-agents, where the CLI tells them', () => {
  const { stream, line } = reader()
  const usage = { input_tokens: 5, cache_read_input_tokens: 10, output_tokens: 1 }
  const model = { inputTokens: 7, cacheReadInputTokens: 20, cacheCreationInputTokens: 3, outputTokens: 2 }
  line({ ...RESULT, usage, model_usage_since_last_result: { opus: model, haiku: { ...model, inputTokens: 1 } } })
  assert.deepEqual(stream.usage(), { input: 54, cached: 40, output: 4 })
  line({ ...RESULT, usage, model_usage_since_last_result: {} })
  assert.deepEqual(stream.usage(), { input: 69, cached: 50, output: 5 })
})

function reader(onProgress: Parameters<typeof readClaudeStream>[0]['onProgress'] = () => undefined) {
  const stream = readClaudeStream({
    watch: watchRetries({ hasNextModel: false }),
    onProgress,
    model: 'm',
    mayRenewToken: false,
  })
  const line = (value: object) => stream.onLine(JSON.stringify(value))
  return {
    stream,
    line,
    system: (subtype: string, more = {}) => line({ type: 'system', subtype, ...more }),
    answer: (text: string, more = {}) =>
      line({ type: 'assistant', message: { content: [{ type: 'text', text }] }, ...more }),
    result: (text: string) => line({ ...RESULT, result: text }),
  }
}

/** Not the real CLI: a program that prints these lines and then does that. */
async function scripted(t: Parameters<typeof setStage>[0], lines: readonly object[], then: string) {
  const stage = await setStage(t)
  const command = join(stage.folder, 'cli')
  const printed = lines.map((line) => `echo '${JSON.stringify(line)}'`).join('\n')
  writeFileSync(command, `#!/bin/sh\ncat >/dev/null\n${printed}\n${then}\n`, { mode: 0o755 })
  return { call: (more = {}) => stage.call('claude', { command, ...more }) }
}
