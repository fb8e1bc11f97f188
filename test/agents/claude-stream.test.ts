// What the scripted model does not do: sub-agents of the real CLI, and a CLI that hangs or talks on after its result.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Answer } from '../../rehearsal/answer.ts'
import { anthropicStream } from '../../rehearsal/anthropic.ts'
import { readClaudeStream } from '../../src/agents/claude-stream.ts'
import { watchRetries } from '../../src/agents/provider.ts'
import { findMarked } from '../../src/processes/marker.ts'
import { answerOf, failureOf, setStage, stageOn } from './support.ts'

const RESULT = { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.5, num_turns: 1 }

test('sub-agents work before the answer comes, not behind its back', async (t) => {
  const heard: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const body = JSON.parse(text || '{}') as { model: string; messages: unknown[] }
    const all = JSON.stringify(body.messages)
    const bySub = all.includes('SUB-TASK') && !all.includes('MAIN-TASK')
    const answered = all.includes('tool_result')
    heard.push(bySub ? 'sub' : answered ? 'main answers' : 'main asks')
    const input = { description: 'fix one', prompt: 'SUB-TASK: fix A', subagent_type: 'fixer_single' }
    const answer: Answer = bySub
      ? { text: 'fixed by the sub-agent', tools: [] }
      : answered
        ? { text: 'all done', tools: [] }
        : { text: 'I hand it on.', tools: [{ name: 'Agent', input }] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(anthropicStream(answer, body.model, body, `msg${heard.length}`).join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-sub-'))
  t.after(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const stage = stageOn(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, folder)
  const { text, record } = answerOf(
    await stage.call('claude', {
      prompt: 'MAIN-TASK: hand it on',
      subagents: { fixer_single: { description: 'fixes one issue', prompt: 'You fix one issue.' } },
    }),
  )
  assert.deepEqual(heard, ['main asks', 'sub', 'main answers'])
  assert.equal(text, 'all done')
  assert.ok(record.costUsd! > 0)
  assert.deepEqual(findMarked(stage.marker), [])
})

test('a CLI that hangs after its result is ended after two seconds, and its result counts', async (t) => {
  const { call } = await scripted(t, [{ ...RESULT, result: 'done', session_id: 's1' }], 'sleep 97')
  const started = performance.now()
  const { text, record } = answerOf(await call())
  assert.equal(text, 'done')
  assert.ok(performance.now() - started < 8_000)
  assert.match(record.notes.join(), /did not end by itself/)
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
  const { text, record } = answerOf(await call())
  assert.equal(text, 'last')
  assert.equal(record.costUsd, 0.3)
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

test('what a sub-agent says is no part of the answer', () => {
  const stream = readClaudeStream({
    watch: watchRetries({ hasNextModel: false }),
    onProgress: () => undefined,
    model: 'm',
    mayRenewToken: false,
  })
  const say = (text: string, more = {}) =>
    stream.onLine(JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] }, ...more }))
  say('mine')
  say('of a sub-agent', { parent_tool_use_id: 't1' })
  stream.onLine(JSON.stringify({ ...RESULT, result: 'mine' }))
  assert.equal(stream.text(), 'mine')
})

test('two texts around a tool use are not run together', () => {
  const stream = readClaudeStream({
    watch: watchRetries({ hasNextModel: false }),
    onProgress: () => undefined,
    model: 'm',
    mayRenewToken: false,
  })
  const say = (text: string) =>
    stream.onLine(JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } }))
  say('first I look')
  stream.onLine(JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', content: 'x' }] } }))
  say('then I answer')
  stream.onLine(JSON.stringify({ ...RESULT, result: 'then I answer' }))
  assert.equal(stream.text(), 'then I answer')
})

/** Not the real CLI: a program that prints these lines and then does that. */
async function scripted(t: Parameters<typeof setStage>[0], lines: readonly object[], then: string) {
  const stage = await setStage(t)
  const command = join(stage.folder, 'cli')
  const printed = lines.map((line) => `echo '${JSON.stringify(line)}'`).join('\n')
  writeFileSync(command, `#!/bin/sh\ncat >/dev/null\n${printed}\n${then}\n`, { mode: 0o755 })
  return { call: (more = {}) => stage.call('claude', { command, ...more }) }
}
