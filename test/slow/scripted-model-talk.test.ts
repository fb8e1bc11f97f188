// What comes before the first fix, and one conversation from the first question to the last fix, with the real Claude CLI.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { modelCalls } from '../../rehearsal/model-calls.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { ask, CODES, ISSUES, reply } from '../rehearsal/asking.ts'
import { type Stage, setStage } from '../rehearsal/support.ts'

test('the clarifier asks round by round until it is ready, and asks nothing that is not in the scenario', async (t) => {
  const clarify = [
    {
      questions: [{ issue_code: 'A-1', question: 'Strict or lenient?', context: 'a.txt has both.' }],
      message: 'One thing first.',
    },
    { questions: [{ id: 'general-q9', question: 'Which release?' }] },
  ]
  const { claude, model } = await setStage(t, { clarify })
  const rounds = []
  for (const round of [1, 2, 3]) rounds.push(reply(await claude(ask('clarifier', round))))
  assert.deepEqual(rounds[0], {
    has_questions: true,
    questions: [{ issue_code: 'A-1', question: 'Strict or lenient?', context: 'a.txt has both.' }],
    message: 'One thing first.',
    ready_to_fix: false,
  })
  assert.deepEqual(
    rounds.map(({ has_questions, ready_to_fix }) => [has_questions, ready_to_fix]),
    [
      [true, false],
      [true, false],
      [false, true],
    ],
  )
  model.setScenario({
    clarify: [...clarify, { message: 'Go.', ready: true, questions: [{ question: 'By the way?' }] }],
  })
  const last = reply(await claude(ask('clarifier', 5)))
  assert.deepEqual([last.ready_to_fix, last.has_questions, last.message], [true, true, 'Go.'])
})

test('the planner plans from the issues, and as the scenario says, attempt by attempt', async (t) => {
  const { claude, model } = await setStage(t, {})
  const made = reply(await claude(ask('planner', 1))) as { issues: Record<string, unknown>[]; execution_steps: unknown }
  assert.deepEqual(made.execution_steps, [['A-1'], ['B-1']])
  assert.deepEqual(
    made.issues.map(({ issue_code, approach, context }) => [issue_code, approach, context]),
    ISSUES.map(({ issue_code, title, file }) => [
      issue_code,
      `Remove the cause of "${title}" where it is.`,
      { snippets: [], related_files: [file], existing_patterns: [] },
    ]),
  )
  model.setScenario({
    plan: [
      { execution_steps: [['A-1', 'B-1']] },
      { issues: { 'B-1': { approach: 'Begin anew.', context: { snippets: ['x'] } } } },
    ],
  })
  const first = reply(await claude(ask('planner', 1)))
  assert.deepEqual(first.execution_steps, [['A-1', 'B-1']])
  const third = reply(await claude(ask('planner', 3))) as { issues: { approach: string; context: object }[] }
  assert.equal(third.issues[1]?.approach, 'Begin anew.')
  assert.deepEqual(third.issues[1]?.context, { snippets: ['x'], related_files: ['b.txt'], existing_patterns: [] })
})

const CHAIN = {
  issues: {
    'A-1': {
      fixes: [
        { steps: [{ tool: 'edit', file: 'a.txt', old: 'wrong', new: 'better' }] },
        { steps: [{ tool: 'edit', file: 'a.txt', old: 'better', new: 'right' }] },
      ],
    },
    'B-1': { fixes: [{ steps: [{ tool: 'edit', file: 'b.txt', old: 'wrong', new: 'right' }] }, {}] },
  },
} satisfies ScenarioInput

async function goOn(stage: Stage, id: string | undefined, prompt: string) {
  const run = await stage.claude(prompt, [...(id ? ['--resume', id, '--fork-session'] : [])])
  return JSON.parse(run.stdout) as { session_id: string; result: string; is_error: boolean }
}

function prepare({ work }: Stage): void {
  for (const name of ['a', 'b']) writeFileSync(join(work, `${name}.txt`), 'wrong\n')
}

test('one conversation: later prompts leave out what earlier ones said, and each call shows what it could remember', async (t) => {
  const stage = await setStage(t, CHAIN)
  prepare(stage)
  const conventions = 'Write it plainly. '.repeat(2_000)
  const first = writePrompt({ role: 'clarifier', call: 'clarify', codes: CODES }, { issues: ISSUES, conventions })
  const clarified = await goOn(stage, undefined, first)
  const planned = await goOn(stage, clarified.session_id, writePrompt({ role: 'planner', call: 'plan', codes: CODES }))
  const fixed = await goOn(stage, planned.session_id, writePrompt({ role: 'fixer', call: 'fix', codes: CODES }))
  const again = { role: 're_fixer', call: 're-fix', codes: ['A-1'], iteration: 2 }
  const refixed = await goOn(stage, fixed.session_id, writePrompt(again, { feedback: 'Better is not right.' }))

  assert.equal(readFileSync(join(stage.work, 'a.txt'), 'utf8'), 'right\n')
  assert.deepEqual(
    JSON.parse(planned.result).issues.map(
      ({ context }: { context: { related_files: string[] } }) => context.related_files,
    ),
    [['a.txt'], ['b.txt']],
    'the issues were in the first prompt only',
  )
  const calls = modelCalls(stage.model.calls())
  assert.deepEqual(
    calls.map(({ call, before, session }) => [call, before, session]),
    [
      ['clarify', [], clarified.session_id],
      ['plan', ['clarify'], planned.session_id],
      ['fix', ['clarify', 'plan'], fixed.session_id],
      ['re-fix', ['clarify', 'plan', 'fix'], refixed.session_id],
    ],
  )
  assert.deepEqual(
    calls.map(({ requests }) => requests),
    [1, 1, 5, 3],
  )

  const compacted = await goOn(stage, refixed.session_id, '/compact')
  const last = writePrompt({ ...again, call: 're-fix-2', codes: CODES, iteration: 3 })
  const { result } = await goOn(stage, compacted.session_id, last)
  assert.deepEqual(
    JSON.parse(result).results.map(({ issue_code, file_modified }: Record<string, string>) => [
      issue_code,
      file_modified,
    ]),
    [
      ['A-1', 'a.txt'],
      ['B-1', 'b.txt'],
    ],
    'the summary kept the issues',
  )
  const [before, after] = modelCalls(stage.model.calls()).slice(-2)
  assert.deepEqual(after?.before, ['re-fix'], 'the summary names the last call')
  assert.ok((after?.characters ?? 0) < (before?.characters ?? 0) / 3, `${before?.characters} → ${after?.characters}`)
})

test('after a call that failed half way, the next prompt in its conversation is the one that counts', async (t) => {
  const stage = await setStage(t, {
    ...CHAIN,
    faults: [
      { match: { role: 'planner' }, fault: { kind: 'http', preset: 'out-of-credit' } },
      { match: { role: 'fixer', nth: 3 }, fault: { kind: 'http', preset: 'out-of-credit' } },
    ],
  })
  prepare(stage)
  const plan = await goOn(stage, undefined, ask('planner', 1))
  assert.equal(plan.is_error, true)
  // Without an answer between them, the CLI puts both prompts into one message.
  const fix = await goOn(stage, plan.session_id, writePrompt({ role: 'fixer', call: 'fix', codes: CODES }))
  assert.equal(fix.is_error, true)
  // Here the last message holds what a tool answered, and the prompt.
  const again = writePrompt({ role: 're_fixer', call: 're-fix', codes: CODES, iteration: 2 })
  const { result } = await goOn(stage, fix.session_id, again)
  assert.equal(JSON.parse(result).results.length, 2)
  assert.equal(readFileSync(join(stage.work, 'a.txt'), 'utf8'), 'right\n')
  assert.deepEqual(
    modelCalls(stage.model.calls()).map(({ role, before }) => [role, before]),
    [
      ['planner', []],
      ['fixer', ['planner1']],
      ['re_fixer', ['planner1', 'fix']],
    ],
  )
})

test('a conversation that the CLI shortens in the middle of a call goes on with it', async (t) => {
  const stage = await setStage(t, {
    ...CHAIN,
    faults: [{ match: { role: 'fixer', nth: 4 }, fault: { kind: 'http', preset: 'prompt-too-long' } }],
  })
  prepare(stage)
  const { result, is_error } = await goOn(stage, undefined, ask('fixer', 1))
  assert.equal(is_error, false)
  assert.equal(JSON.parse(result).results.length, 2)
  assert.deepEqual(
    ['a', 'b'].map((name) => readFileSync(join(stage.work, `${name}.txt`), 'utf8')),
    ['better\n', 'right\n'],
  )
  assert.ok(
    stage.model.calls().some(({ role }) => role === 'auxiliary'),
    'the CLI asked for a summary',
  )
})
