// The scripted model, with the real CLIs; more of it, and all of its faults, in test/slow.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promptOf, readCallLog } from '../../rehearsal/calls.ts'
import { readCallBlock, readDataBlocks, writePrompt } from '../../rehearsal/prompt.ts'
import { post, setStage, temporaryFolder } from './support.ts'
import { fixBoth, ISSUES, prepare, SCENARIO } from './two-issues.ts'

test('Claude reads and edits files as the scenario says, and replies as text', async (t) => {
  const { claude, work, model } = await setStage(t, SCENARIO)
  prepare(work)
  const run = await claude(fixBoth)
  assert.equal(run.status, 0, run.stderr)
  assert.match(readFileSync(join(work, 'src/a.py'), 'utf8'), /return x \+ 1\n\ndef g/)
  assert.equal(readFileSync(join(work, 'src/b.js'), 'utf8'), 'export const b = "é"\n')
  const result = JSON.parse(run.stdout)
  assert.deepEqual(
    JSON.parse(result.result).results.map((one: { issue_code: string; status: string }) => [
      one.issue_code,
      one.status,
    ]),
    [
      ['A-1', 'fixed'],
      ['B-1', 'fixed'],
    ],
  )
  assert.ok(result.total_cost_usd > 0)
  assert.deepEqual(
    model.calls().map((call) => [call.role, call.step, call.outcome?.said]),
    [
      ['fixer', 0, 'tools'],
      ['fixer', 1, 'tools'],
      ['fixer', 2, 'tools'],
      ['fixer', 3, 'reply'],
    ],
  )
})

test('the challenger scores from the diff: right, wrong, partly, empty', async (t) => {
  const { gemini, model } = await setStage(t, {
    issues: {
      'A-1': { proof: [{ file: 'a.py', adds: 'return 2', removes: 'return 1' }] },
      'A-2': { proof: [{ file: 'a.py', adds: 'return 2' }, { file: 'b.py' }] },
      'A-3': { proof: [{ file: 'a.py', adds: 'return 3' }] },
      'A-4': { proof: [{ file: 'c.py' }] },
    },
  })
  const codes = ['A-1', 'A-2', 'A-3', 'A-4']
  const diff =
    'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n+@cache\n+# see @notes.md\n'
  const prompt = writePrompt({ role: 'fix_challenger', codes, whole: true }, { issues: [], diff })
  const [right, empty] = await Promise.all([
    gemini(prompt),
    gemini(writePrompt({ role: 'fix_challenger', codes }, { issues: [], diff: '' })),
  ])
  const scores = (run: { stdout: string }) => {
    const reply = JSON.parse(JSON.parse(run.stdout).response)
    return [...codes.map((code) => reply.issues[code].score), reply.whole?.score]
  }
  assert.deepEqual(scores(right), [97, 70, 45, 20, 58])
  assert.deepEqual(scores(empty), [20, 20, 20, 20, undefined])
  const arrived = model.calls().filter((call) => promptOf(call)?.endsWith(prompt))
  assert.equal(arrived.length, 1, 'the prompt arrives as it was given')
})

test('as a program it prints where it listens, writes its calls to a file, and ends on SIGTERM', async (t) => {
  const folder = temporaryFolder(t)
  const [scenario, log] = [join(folder, 'scenario.json'), join(folder, 'calls.jsonl')]
  writeFileSync(scenario, JSON.stringify(SCENARIO))
  const program = join(import.meta.dirname, '../../rehearsal/model.ts')
  const child = spawn(process.execPath, [program, '--scenario', scenario, '--log', log, '--latency', '50'])
  t.after(() => child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url } = JSON.parse(line)
  const ask = async (path: string, body: unknown) => (await post(`${url}${path}`, body)).body
  const prompt = writePrompt({ role: 'fix_challenger', codes: ['A-1'] }, { diff: '' })
  const started = Date.now()
  const message = await ask('/v1/messages', { model: 'm', messages: [{ role: 'user', content: prompt }] })
  assert.ok(Date.now() - started >= 50)
  assert.equal(JSON.parse(message.content[0].text).issues['A-1'].score, 20)
  const contents = [{ role: 'user', parts: [{ text: prompt }] }]
  const response = await ask('/v1beta/models/g:generateContent', { contents })
  assert.equal(response.candidates[0].finishReason, 'STOP')
  assert.ok((await ask('/v1/messages/count_tokens', { messages: [] })).input_tokens > 0)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.deepEqual(
    readCallLog(log).map((call) => [call.n, call.provider, call.role, call.outcome?.ended]),
    [
      [1, 'anthropic', 'fix_challenger', 'whole'],
      [2, 'gemini', 'fix_challenger', 'whole'],
    ],
  )
})

test("the CLIs' own requests are answered harmlessly and struck by no fault", async (t) => {
  const { model } = await setStage(t, { faults: [{ fault: { kind: 'http', preset: 'server-error' } }] })
  const ask = async (body: unknown) => {
    const answer = await post(`${model.url}/v1/messages`, body)
    return [answer.status, answer.body.content?.[0]?.text]
  }
  const quota = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'quota' }] }
  assert.deepEqual(await ask(quota), [200, 'Ready'])
  const summary = 'Your task is to create a detailed summary of the conversation so far.'
  const turns = [fixBoth, 'Working.', summary].map((content, index) => ({
    role: index === 1 ? 'assistant' : 'user',
    content,
  }))
  const [status, text] = await ask({ model: 'm', messages: turns, tools: [{ name: 'Read' }] })
  assert.equal(status, 200)
  assert.deepEqual(readCallBlock(text), readCallBlock(fixBoth), 'a summary keeps the prompt, so that the work goes on')
  assert.equal(readDataBlocks(text).get('issues'), JSON.stringify(ISSUES))
  assert.equal((await ask({ model: 'm', messages: turns.slice(0, 1) }))[0], 500)
})
