// What takes the CLIs minutes by nature, with their own clocks and the deadlines of the settings' defaults: nobody waits longer
// than that for either, and what comes of it has its class.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerOf, failureOf, setStage } from '../agents/support.ts'

const CLAUDE = { deadlineMs: 900_000 }
const GEMINI = { deadlineMs: 120_000 }

describe('with their own clocks', { concurrency: true }, () => {
  test('claude without any answer is given up on after two tries of 360 s, as infrastructure', async (t) => {
    const { call } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'hang' } }] })
    const result = await call('claude', CLAUDE)
    assert.notEqual(failureOf(result).class, 'limit')
    assert.ok(result.report.durationMs < 905_000)
    t.diagnostic(`${JSON.stringify(failureOf(result))} after ${result.report.durationMs} ms`)
  })

  test('claude’s stream that stops is asked for again after 120 s', async (t) => {
    const { call } = await setStage(t, { faults: [{ match: { until: 1 }, fault: { kind: 'stall' } }] })
    const { report } = answerOf(await call('claude', CLAUDE))
    assert.ok(report.durationMs < 240_000)
  })

  for (const preset of ['rate-limit', 'server-error', 'overloaded'] as const) {
    test(`claude and ${preset} for ever: a limit in half a minute, where the CLI alone takes three silent ones`, async (t) => {
      const { call, progress } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'http', preset } }] })
      const result = await call('claude', CLAUDE)
      assert.equal(failureOf(result).class, 'limit')
      assert.ok(result.report.durationMs < 60_000)
      assert.ok(progress.filter((each) => each.kind === 'retry').length >= 3, 'and every refusal was told')
    })
  }

  test('claude’s answer of 5 MB where a form was asked for is asked for twice, and comes whole', async (t) => {
    const { call, model } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'text', preset: 'huge' } }] })
    const schema = { type: 'object', properties: { results: { type: 'array' } }, required: ['results'] }
    const answer = answerOf(await call('claude', { ...CLAUDE, schema }))
    assert.ok(answer.text.length > 5_000_000 && answer.structured === undefined)
    assert.ok(model.calls().length >= 2)
  })

  test('gemini without any answer is a time-out after 120 s, where the CLI alone takes 842', async (t) => {
    const { call } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'hang' } }] })
    const result = await call('gemini', GEMINI)
    t.diagnostic(`${JSON.stringify(failureOf(result))} after ${result.report.durationMs} ms`)
    assert.notEqual(failureOf(result).class, 'limit')
    assert.ok(result.report.durationMs < 125_000)
  })

  for (const preset of ['rate-limit', 'server-error'] as const) {
    test(`gemini and ${preset} for ever: a limit within its deadline, where the CLI alone takes 220 s`, async (t) => {
      const { call, progress } = await setStage(t, { faults: [{ match: {}, fault: { kind: 'http', preset } }] })
      const result = await call('gemini', GEMINI)
      assert.equal(failureOf(result).class, 'limit')
      assert.ok(result.report.durationMs < 120_000)
      assert.ok(progress.some((each) => each.kind === 'retry'))
    })
  }
})
