// S2-28: a conversation that has grown long is compacted once before a call goes on with it. What the real CLI does with `/compact`: status 0
// and a "success" however it went, an empty answer, no tokens in `usage`; with a fork the compacted conversation is the new one.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ScenarioInput } from '../../../rehearsal/scenario.ts'
import { answerOf, failureOf, promptFor, type Stage, setStage } from '../support.ts'

const LONG = 'what only this conversation knows. '.repeat(4_000)
const summaries = (fault: NonNullable<ScenarioInput['faults']>[number]['fault']): ScenarioInput => ({
  faults: [{ match: { role: 'auxiliary' }, fault }],
})

/** A conversation with something in it, and what a call that goes on with it gives. */
async function begin({ call }: Stage) {
  const { report } = answerOf(await call('claude', { prompt: promptFor('claude', { notes: LONG }) }))
  return {
    record: report,
    goOn: { conversationCostUsd: report.conversationCostUsd, compactFirst: true, prompt: promptFor('claude') },
  }
}

function sentBy({ model }: Stage, from: number) {
  return model
    .calls()
    .slice(from)
    .map(({ role, body }) => {
      const { messages } = body as { messages: unknown[] }
      return { role, turns: messages.length, said: JSON.stringify(messages) }
    })
}

describe('/compact [S2-28]', { concurrency: 3 }, () => {
  test('it is done once, in the fork, before the prompt; the record says so and counts it [S2-28]', async (t) => {
    const stage = await setStage(t)
    const { record: first, goOn } = await begin(stage)
    const session = { resume: first.conversationId!, fork: true }
    const from = stage.progress.length
    const { report } = answerOf(await stage.call('claude', { ...goOn, conversation: session, effort: 'low' }))
    const [summary, prompt, ...more] = sentBy(stage, 1)
    assert.deepEqual([summary?.role, prompt?.role, more.length], ['auxiliary', 'fixer', 0])
    assert.match(summary?.said ?? '', /Keep word for word what the next steps need/)
    assert.equal(prompt?.turns, 1, 'the summary stands in the place of all turns before')
    assert.match(prompt?.said ?? '', /being continued from a previous conversation/)
    assert.notEqual(report.conversationId, first.conversationId)
    assert.match(report.notes[0] ?? '', /^the conversation was compacted first, from \d+ to \d+ tokens, for \$\d\.\d+$/)
    assert.ok(
      Math.abs(first.costUsd! + report.costUsd! - report.conversationCostUsd!) < 1e-9,
      'its cost is in the call’s',
    )
    const [told] = stage.progress.slice(from)
    assert.ok(told?.kind === 'used' && told.costUsd! > 1, 'and is told as soon as it ends')
    assert.ok(report.costUsd! > first.costUsd! && report.inputTokens! > first.inputTokens!)

    const again = answerOf(await stage.call('claude', { conversation: session })).report
    assert.equal(sentBy(stage, 3)[0]?.turns, 3, 'where it forked from, all is as it was')
    assert.deepEqual(again.notes, [])
  })

  test('without a fork the conversation keeps its id [S2-28]', async (t) => {
    const stage = await setStage(t)
    const { record: first, goOn } = await begin(stage)
    const session = { resume: first.conversationId!, fork: false }
    const { report } = answerOf(await stage.call('claude', { ...goOn, conversation: session }))
    assert.equal(report.conversationId, first.conversationId)
    assert.deepEqual(
      sentBy(stage, 1).map(({ role, turns }) => [role, turns]),
      [
        ['auxiliary', 3],
        ['fixer', 1],
      ],
    )
    assert.ok(Math.abs(first.costUsd! + report.costUsd! - report.conversationCostUsd!) < 1e-9)
  })

  test('when the provider refuses the summary, the call goes on with the conversation as it was, and says so [S2-28]', async (t) => {
    const stage = await setStage(t, summaries({ kind: 'http', preset: 'overloaded' }))
    const { record: first, goOn } = await begin(stage)
    const session = { resume: first.conversationId!, fork: true }
    const environment = { ...stage.environment, CLAUDE_CODE_MAX_RETRIES: '1' }
    const { report } = answerOf(await stage.call('claude', { ...goOn, conversation: session, environment }))
    const last = sentBy(stage, 1).at(-1)
    assert.deepEqual([last?.role, last?.turns], ['fixer', 3])
    assert.match(report.notes[0] ?? '', /could not be compacted and goes on as it was: .*529/)
    assert.ok(Math.abs(first.costUsd! + report.costUsd! - report.conversationCostUsd!) < 1e-9)
  })

  test('a summary that never comes costs half of the call’s time and no more [S2-28]', async (t) => {
    const stage = await setStage(t, summaries({ kind: 'hang' }))
    const { record: first, goOn } = await begin(stage)
    const session = { resume: first.conversationId!, fork: true }
    const { report } = answerOf(await stage.call('claude', { ...goOn, conversation: session, deadlineMs: 30_000 }))
    assert.equal(sentBy(stage, 1).at(-1)?.turns, 3)
    assert.match(report.notes[0] ?? '', /could not be compacted/)
    assert.ok(report.durationMs >= 15_000 && report.durationMs < 30_000)
  })

  test('only what is ours is a command, and a conversation that begins has nothing to compact [S2-28]', async (t) => {
    const stage = await setStage(t)
    const { record: first, goOn } = await begin(stage)
    const once = await stage.call('claude', {
      ...goOn,
      conversation: { resume: first.conversationId!, fork: true },
      prompt: '/compact',
    })
    const note = answerOf(once).report.notes.join()
    assert.match(note, /compacted first/)
    assert.match(
      stage.model
        .calls()
        .map(({ body }) => JSON.stringify(body))
        .at(-1) ?? '',
      /The task follows/,
    )
    const begun = await stage.call('claude', { prompt: promptFor('claude'), compactFirst: true })
    assert.deepEqual(answerOf(begun).report.notes, [])
  })

  test('a conversation that is gone is told at once [S1-12, S2-28]', async (t) => {
    const { call, folder, model } = await setStage(t)
    const session = { resume: crypto.randomUUID(), fork: true }
    const result = await call('claude', { conversation: session, compactFirst: true })
    assert.equal(failureOf(result).class, 'infrastructure')
    assert.ok(result.kind === 'failed' && result.conversationGone)
    assert.equal(result.report.conversationId, undefined)
    assert.equal(model.calls().length, 0)
    assert.deepEqual(
      (await readdir(join(folder, 'call-1'))).filter((file) => file.endsWith('.jsonl')),
      ['claude-compact.jsonl'],
    )
  })

  test('a cancellation meanwhile is one of the call [S2-28]', async (t) => {
    const stage = await setStage(t, summaries({ kind: 'hang' }))
    const { record: first, goOn } = await begin(stage)
    const controller = new AbortController()
    const session = { resume: first.conversationId!, fork: true }
    const running = stage.call('claude', { ...goOn, conversation: session, signal: controller.signal })
    await stage.model.waitFor({ role: 'auxiliary' })
    const reason = new Error('a person said stop')
    controller.abort(reason)
    await assert.rejects(running, (error) => error === reason)
    assert.ok(!existsSync(join(stage.folder, 'call-2', 'claude-1.jsonl')))
  })
})
