// What a call may spend, with the real CLIs: where it ends, what of it counts, and what is known of its cost.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { answerOf, failureOf, promptFor, setStage } from './support.ts'

const WRITES = [1, 2, 3, 4].map((n) => ({ tool: 'write' as const, file: `a${n}.txt`, content: 'x' }))
const WORKING = { issues: { A: { fixes: [{ steps: WRITES }] } } }
/** By then a CLI may have sent its third request. What counts is that it does not wait for the answer. */
const WORKING_TWICE: ScenarioInput = { ...WORKING, faults: [{ match: { nth: 3 }, fault: { kind: 'hold' } }] }
const SCHEMA = { type: 'object', properties: { results: { type: 'array' } }, required: ['results'] }

describe('a call with a budget', { concurrency: 3 }, () => {
  test('in tokens ends with the turn that passed it, keeps what was done, and knows what it cost or that nobody does', async (t) => {
    const { call, work } = await setStage(t, WORKING_TWICE)
    // A turn is about 14,500 tokens here.
    const result = await call('claude', { maxTokens: 20_000 })
    assert.equal(failureOf(result).class, 'budget')
    const { inputTokens = 0, outputTokens = 0, costUsd = 0, costPartial } = result.report
    assert.ok(inputTokens + outputTokens > 20_000 && inputTokens + outputTokens < 35_000, `${inputTokens}`)
    assert.ok(existsSync(join(work, 'a1.txt')) && !existsSync(join(work, 'a3.txt')))
    // It says so unless it had gone on to its next request already.
    assert.notEqual(costUsd > 0, costPartial === true)
  })

  test('in dollars counts for the call alone, also where its conversation has cost more before', async (t) => {
    const { call } = await setStage(t, WORKING)
    const before = (await call('claude')).report
    const more = {
      conversation: { resume: before.conversationId ?? '', fork: true },
      conversationCostUsd: before.conversationCostUsd,
    }
    const result = await call('claude', { ...more, maxBudgetUsd: 0.05 })
    assert.equal(failureOf(result).class, 'budget')
    const { costUsd = 0 } = result.report
    assert.ok(before.conversationCostUsd! > 0.05 && costUsd > 0.05 && costUsd < 0.05 + 0.03, `${costUsd}`)
  })

  test('in dollars counts for the call alone, also where one of its models broke off and could not say what it cost', async (t) => {
    const { call } = await setStage(t, {
      ...WORKING,
      faults: [{ match: { model: 'opus', from: 2 }, fault: { kind: 'http', preset: 'overloaded' } }],
    })
    const before = (await call('claude', { models: ['claude-sonnet-4-5'] })).report
    const session = { resume: before.conversationId ?? '', fork: true }
    for (const prices of [[], [{ model: 'claude-*', input: 0.1, output: 0.1 }]]) {
      const { report } = answerOf(
        await call('claude', {
          ...{ conversation: session, conversationCostUsd: before.conversationCostUsd, prices },
          models: ['claude-opus-4-5', 'claude-sonnet-4-5'],
        }),
      )
      assert.equal(report.modelsTried.length, 2)
      assert.ok(Math.abs(before.costUsd! + report.costUsd! - report.conversationCostUsd!) < 1e-9, `${report.costUsd}`)
    }
  })

  test('of Gemini’s, in tokens or in dollars, ends with the turn that passed it, as far as that can be estimated', async (t) => {
    // It goes for tools though it has none: each turn is one more in which it reads everything, about 4,500 tokens here.
    const prompt = promptFor('claude')
    const { call, model, progress } = await setStage(t, WORKING)
    const { inputTokens = 0 } = answerOf(await call('gemini', { prompt })).report
    const told = progress.findLast((each) => each.kind === 'used')
    const part = (told?.kind === 'used' ? told.usage.input : 0) / inputTokens
    assert.ok(model.calls().length === 5 && part > 0.95 && part < 1.2, `${part} of ${inputTokens} were told`)
    const prices = [{ model: 'gemini-2.5-*', input: 1, output: 1 }]
    const limited = [{ maxTokens: 7_000 }, { maxBudgetUsd: 0.007, prices }].map(async (limit) => {
      const stage = await setStage(t, WORKING_TWICE)
      const result = await stage.call('gemini', { prompt, ...limit })
      assert.equal(failureOf(result).class, 'budget')
      const { inputTokens: read = 0, outputTokens: written = 0, costUsd, costPartial } = result.report
      assert.ok(read + written > 7_000 && read + written < 7_000 + 4_500, `${read + written}`)
      // In dollars no more is known than in tokens, and no less.
      assert.deepEqual([costUsd, costPartial], ['prices' in limit ? (read + written) / 1e6 : undefined, true])
    })
    await Promise.all(limited)
  })

  test('of Gemini’s leaves it no time for what it would do when it is told to end', async (t) => {
    const { call, folder } = await setStage(t)
    const [command, told] = [join(folder, 'cli'), join(folder, 'told')]
    const turn = ['{"type":"init"}', '{"type":"tool_use","tool_name":"look"}']
      .map((line) => `echo '${line}'`)
      .join('\n')
    const script = `#!/bin/sh\ntrap 'touch ${told}; exit 0' TERM\ncat >/dev/null\n${turn}\nwhile :; do sleep 0.05; done\n`
    writeFileSync(command, script, { mode: 0o755 })
    assert.equal(failureOf(await call('gemini', { command, maxTokens: 1 })).class, 'budget')
    assert.ok(!existsSync(told))
  })

  test('takes an answer that comes with the turn that passed it, as a text and in a form', async (t) => {
    const { call } = await setStage(t)
    const [plain, formed] = [
      answerOf(await call('claude', { maxBudgetUsd: 0.0001 })),
      answerOf(await call('claude', { maxBudgetUsd: 0.0001, schema: SCHEMA })),
    ]
    assert.ok(JSON.parse(plain.text).results.length > 0)
    assert.ok((formed.structured as { results: unknown[] }).results.length > 0)
    const tokens = answerOf(await call('claude', { maxTokens: 1, schema: SCHEMA }))
    assert.ok((tokens.structured as { results: unknown[] }).results.length > 0)
  })

  test('that runs out of time says what it used, and that its last turn may have cost more', async (t) => {
    const { call, model } = await setStage(t, { ...WORKING, faults: [{ match: { nth: 2 }, fault: { kind: 'hang' } }] })
    const result = await call('claude', { deadlineMs: 10_000 })
    const failure = failureOf(result)
    assert.equal(failure.class === 'no_usable_work' && failure.reason, 'timeout')
    assert.equal(model.calls().length, 2)
    assert.ok(result.report.inputTokens! > 10_000)
    assert.equal(result.report.costPartial, true)
  })

  test('of a CLI that tells no cost: the prices make it, and without a price nobody knows', async (t) => {
    const { call } = await setStage(t)
    const prices = [{ model: 'gemini-2.5-*', input: 1, output: 10 }]
    const priced = answerOf(await call('gemini', { prices })).report
    const { inputTokens = 0, outputTokens = 0 } = priced
    assert.ok(inputTokens > 100 && outputTokens > 10)
    assert.ok(Math.abs(priced.costUsd! - (inputTokens + 10 * outputTokens) / 1e6) < 1e-12)
    assert.equal(priced.costPartial, undefined)
    const { costUsd, costPartial } = answerOf(
      await call('gemini', { prices: [{ ...prices[0]!, model: 'other' }] }),
    ).report
    assert.deepEqual([costUsd, costPartial], [undefined, true])
  })

  test('that the provider refused to begin cost nothing, and that is known', async (t) => {
    for (const cli of ['claude', 'gemini'] as const) {
      const { call } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'http', preset: 'out-of-credit' } }] })
      const result = await call(cli)
      assert.equal(failureOf(result).class, 'billing')
      assert.deepEqual([result.report.costUsd, result.report.costPartial], [0, undefined])
    }
  })
})
