// The fixer that hands its issues on, with the real Claude CLI; more of it in test/slow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelCalls, phases, subAgents } from '../../rehearsal/model-calls.ts'
import { CODES, claims, delegating, layTodo, scenario, shown } from './delegating.ts'
import { setStage } from './support.ts'

test('the issues of a parallel step are at work at the same time, the next step comes after all of them', async (t) => {
  const held = ['A-1', 'B-1'].map((code) => ({
    match: { role: 'fixer_single', code, at: 'first' as const },
    fault: { kind: 'hold' as const },
  }))
  const stage = await setStage(t, scenario({ faults: held }))
  const { prompt } = layTodo(stage, [
    { mode: 'parallel', codes: ['A-1', 'B-1'] },
    { mode: 'parallel', codes: ['C-1', 'D-1'] },
  ])
  const running = stage.claude(prompt, delegating)
  // Neither has had an answer yet, and both have asked: so the CLI runs them side by side.
  await stage.model.waitFor({ role: 'fixer_single', code: 'A-1' })
  await stage.model.waitFor({ role: 'fixer_single', code: 'B-1' })
  stage.model.release()
  const run = await running

  assert.deepEqual(
    claims(run).map(({ issue_code, status, changes_summary }) => [issue_code, status, changes_summary]),
    CODES.map((code) => [code, 'fixed', `Better ${code}.`]),
  )
  assert.deepEqual(shown(stage), ['better', 'better', 'better', 'better'])
  const calls = subAgents(stage.model.calls())
  assert.equal(calls.length, 4)
  assert.deepEqual(
    phases(calls).map(({ codes }) => codes),
    [
      ['A-1', 'B-1'],
      ['C-1', 'D-1'],
    ],
  )
  assert.equal(phases(calls)[0]?.together, true)
  const [parent] = modelCalls(stage.model.calls())
  assert.deepEqual(
    calls.map(({ session, call, before }) => [session, call, before]),
    calls.map(() => [parent?.session, 's1.i1.b1.fix', []]),
  )
})
