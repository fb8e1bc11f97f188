// What the real CLIs make of each fault, as FACTS.md has it. Those that take minutes by nature are shortened by the CLIs' own settings.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FaultInput } from '../../rehearsal/faults.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { type CliRun, setStage, withSchema } from '../rehearsal/support.ts'

const fix = writePrompt({ role: 'fixer', codes: ['A-1'] })
const challenge = writePrompt({ role: 'fix_challenger', codes: ['A-1'] }, { diff: '' })

function always(fault: FaultInput['fault'], match: FaultInput['match'] = {}): ScenarioInput {
  return { issues: { 'A-1': { fixes: [{}] } }, faults: [{ match, fault }] }
}

function result(run: CliRun) {
  return JSON.parse(run.stdout)
}

const claudeErrors = [
  { preset: 'out-of-credit', status: 400, requests: 1, says: /credit balance is too low/i },
  { preset: 'unauthorized', status: 401, requests: 2, says: /invalid x-api-key|API key/i },
  { preset: 'forbidden', status: 403, requests: 1, says: /permission/i },
  { preset: 'model-not-found', status: 404, requests: 2, says: /selected model/i },
  { preset: 'rate-limit', status: 429, requests: 2, says: /rate limit|temporarily/i },
  { preset: 'usage-limit', status: 429, requests: 2, says: /limit/i },
  { preset: 'server-error', status: 500, requests: 2, says: /internal server error/i },
  { preset: 'overloaded', status: 529, requests: 2, says: /overloaded/i },
  { preset: 'prompt-too-long', status: 400, requests: 1, says: /prompt is too long/i },
] as const

for (const { preset, status, requests, says } of claudeErrors) {
  test(`Claude ends with status 1 and says so: ${preset}`, async (t) => {
    const { claude, model } = await setStage(t, always({ kind: 'http', preset, resetAt: 1_800_000_000 }))
    const run = await claude(fix)
    const { is_error, api_error_status, result: text } = result(run)
    assert.deepEqual([run.status, is_error, api_error_status], [1, true, status], run.stdout)
    assert.match(text, says)
    assert.equal(model.calls().length, requests)
  })
}

const geminiErrors = [
  { preset: 'daily-quota', ends: 429 % 256, attempts: 3, requests: 1 },
  { preset: 'rate-limit', ends: 429 % 256, attempts: 2, requests: 2 },
  { preset: 'out-of-credit', ends: 429 % 256, attempts: 1, requests: 1 },
  { preset: 'unauthorized', ends: 400 % 256, attempts: 3, requests: 1 },
  { preset: 'forbidden', ends: 403 % 256, attempts: 3, requests: 1 },
  { preset: 'model-not-found', ends: 1, attempts: 3, requests: 1 },
  { preset: 'overloaded', ends: 503 % 256, attempts: 1, requests: 1 },
] as const

for (const { preset, ends, attempts, requests } of geminiErrors) {
  test(`Gemini ends with status ${ends}, its JSON on standard error: ${preset}`, async (t) => {
    const { gemini, model } = await setStage(t, always({ kind: 'http', preset }), { attempts })
    const run = await gemini(challenge)
    assert.deepEqual([run.status, run.stdout], [ends, ''], run.stderr)
    assert.match(run.stderr, /"error": \{/)
    assert.equal(model.calls().length, requests)
  })
}

test('after an error that passes, both CLIs get their answer', async (t) => {
  const { claude, gemini, model } = await setStage(
    t,
    always({ kind: 'http', preset: 'rate-limit', retryAfterSeconds: 1 }, { at: 'first', until: 1 }),
  )
  assert.equal(result(await claude(fix)).is_error, false)
  assert.equal((await gemini(challenge)).status, 0)
  assert.deepEqual(
    model.calls().map((call) => [call.provider, call.outcome?.status]),
    [
      ['anthropic', 429],
      ['anthropic', 200],
      ['gemini', 200],
    ],
  )
})

test('a reset that is far away: both CLIs give up at once, and only Gemini says when to come back', async (t) => {
  const fault = { kind: 'http', preset: 'rate-limit', retryAfterSeconds: 3600 } as const
  const { claude, gemini, model } = await setStage(t, always(fault), { attempts: 3 })
  const ended = result(await claude(fix))
  assert.deepEqual([ended.api_error_status, ended.result.includes('3600')], [429, false])
  assert.match((await gemini(challenge)).stderr, /Suggested retry after 3600s/)
  assert.equal(model.calls().length, 2)
})

test('replies in a wrong form reach the caller as they are', async (t) => {
  const { claude, model } = await setStage(t, {})
  const say = async (fault: FaultInput['fault']) => {
    model.setScenario(always(fault, { until: 1 }))
    return result(await claude(fix)).result as string
  }
  assert.match(await say({ kind: 'text', preset: 'fenced' }), /```json\n\{/)
  assert.match(await say({ kind: 'text', preset: 'broken-json' }), /,,$/)
  assert.deepEqual(JSON.parse(await say({ kind: 'text', preset: 'missing-issue' })), { results: [] })
  assert.equal(await say({ kind: 'text', text: 'No.' }), 'No.')
  const second = await say({ kind: 'text', preset: 'half' })
  assert.ok(JSON.parse(second), 'after max_tokens the result holds only what came in the second request')
})

test('with a schema: a model that only talks is nudged once, then success without structured output', async (t) => {
  const { claude, model } = await setStage(t, always({ kind: 'text', preset: 'prose' }))
  const talked = await claude(fix, withSchema)
  assert.deepEqual([talked.status, result(talked).subtype, result(talked).structured_output], [0, 'success', undefined])
  assert.equal(model.calls().length, 2)
  model.setScenario(always({ kind: 'text', preset: 'prose' }, { until: 1 }))
  assert.equal(result(await claude(fix, withSchema)).structured_output.results.length, 1)
})

test('with a schema: a wrong shape five times ends with status 1', async (t) => {
  const { claude } = await setStage(t, always({ kind: 'text', preset: 'wrong-schema' }))
  const run = await claude(fix, withSchema)
  assert.deepEqual([run.status, result(run).subtype], [1, 'error_max_structured_output_retries'])
})

test('Gemini passes off as success: repetition (empty), half an answer, and a big answer to a pipe (cut)', async (t) => {
  const { gemini, model } = await setStage(t, {})
  const say = async (preset: 'repetition' | 'half' | 'huge') => {
    model.setScenario(always({ kind: 'text', preset }))
    const run = await gemini(challenge)
    assert.equal(run.status, 0, run.stderr)
    return run.stdout
  }
  assert.equal(JSON.parse(await say('repetition')).response, '')
  assert.match(JSON.parse(await say('half')).response, /^\{"issues"/)
  const huge = await say('huge')
  assert.ok(huge.length < 5_000_000)
})

test('a request that hangs, stalls or is held is seen while it waits, and a held one goes on when released', async (t) => {
  const { claude, model, folder } = await setStage(t, {})
  for (const kind of ['hang', 'stall'] as const) {
    model.setScenario(always({ kind }))
    const before = model.calls().length
    const ended = new AbortController()
    const asked = fetch(`${model.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: fix }] }),
      signal: ended.signal,
    }).then((answer) => answer.text())
    await model.waitFor({ role: 'fixer', nth: before + 1 })
    ended.abort()
    await assert.rejects(asked, { name: 'AbortError' })
  }
  const file = join(folder, 'go')
  model.setScenario({
    ...always({ kind: 'hold' }),
    faults: [
      { match: { nth: 1 }, fault: { kind: 'hold', name: 'first' } },
      { match: { nth: 2 }, fault: { kind: 'hold', file } },
    ],
  })
  const before = model.calls().length
  const runs = [claude(fix), claude(fix)]
  const [first, second] = [
    await model.waitFor({ role: 'fixer', nth: before + 1 }),
    await model.waitFor({ role: 'fixer', nth: before + 2 }),
  ]
  assert.deepEqual([first.outcome, second.outcome], [undefined, undefined])
  model.release('first')
  writeFileSync(file, '')
  for (const run of runs) assert.equal(result(await run).is_error, false)
})

test('slow and dripping answers arrive whole', async (t) => {
  const { claude, model } = await setStage(t, {
    faults: [
      { match: { nth: 1 }, fault: { kind: 'slow', ms: 300 } },
      { match: { nth: 1, at: 'first' }, fault: { kind: 'drip', ms: 20 } },
    ],
  })
  const runs = [result(await claude(fix)), result(await claude(fix))]
  assert.deepEqual(JSON.parse(runs[0].result), JSON.parse(runs[1].result))
  const [slow] = model.calls()
  assert.ok((slow?.endedAt ?? 0) - (slow?.startedAt ?? 0) >= 300)
})
