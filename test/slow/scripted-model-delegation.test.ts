// The fixer that hands its issues on, with the real Claude CLI and its own tool for it: what runs beside what is read from the requests.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { phases, subAgents } from '../../rehearsal/model-calls.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import { CODES, claims, delegating, layTodo, scenario, shown, told } from '../rehearsal/delegating.ts'
import { setStage, withSchema } from '../rehearsal/support.ts'

test('a sub-agent is told its own issue and todo file, and reads the answers there', async (t) => {
  const stage = await setStage(t, scenario())
  const { prompt, todo } = layTodo(stage, [{ mode: 'parallel', codes: ['A-1', 'B-1'] }])
  await stage.claude(prompt, delegating)
  const requests = stage.model.calls()
  const blocks = told(requests, 'A-1')
  assert.equal(blocks.get('fix_todo'), join(todo.folder, 'fix_todo_A-1.json'))
  assert.match(blocks.get('issues') ?? '', /TITLE-A-1/)
  assert.doesNotMatch(blocks.get('issues') ?? '', /TITLE-B-1/)
  const bodies = requests
    .filter(({ agent, codes }) => agent && codes[0] === 'A-1')
    .map(({ body }) => JSON.stringify(body))
  assert.match(bodies.at(-1) ?? '', /ANSWER-A-1/)
  assert.doesNotMatch(bodies.at(-1) ?? '', /ANSWER-B-1/)
})

test('a serial step is handed on one by one, only the issues of the call are, and its re-fix in the same conversation does it again', async (t) => {
  const stage = await setStage(t, scenario())
  const { prompt, todo } = layTodo(stage, [
    { mode: 'serial', codes: ['A-1', 'B-1'] },
    { mode: 'parallel', codes: ['C-1', 'D-1'] },
  ])
  const first = JSON.parse((await stage.claude(prompt, delegating)).stdout)
  const order = subAgents(stage.model.calls())
  assert.deepEqual(
    phases(order).map(({ codes }) => codes),
    [['A-1'], ['B-1'], ['C-1', 'D-1']],
  )
  const again = writePrompt(
    { role: 're_fixer', call: 's1.i2.b1.fix', iteration: 2, codes: ['B-1', 'C-1'] },
    { todo, feedback: 'Better is not right.' },
  )
  const run = await stage.claude(again, [...delegating, '--resume', first.session_id, '--fork-session'])
  assert.deepEqual(
    claims(run).map(({ issue_code, status }) => [issue_code, status]),
    [
      ['B-1', 'fixed'],
      ['C-1', 'fixed'],
    ],
  )
  assert.deepEqual(shown(stage), ['better', 'right', 'right', 'better'])
  const later = subAgents(stage.model.calls()).filter(({ iteration }) => iteration === 2)
  assert.deepEqual(
    phases(later).map(({ codes }) => codes),
    [['B-1'], ['C-1']],
  )
  assert.match(told(stage.model.calls(), 'B-1', 2).get('issues') ?? '', /TITLE-B-1/)
})

test('what a sub-agent reports is what the fixer passes on, unreadable reports and refused sub-agents included', async (t) => {
  const prose = { match: { role: 'fixer_single', code: 'A-1' }, fault: { kind: 'text' as const, text: 'All is well.' } }
  const stage = await setStage(t, scenario({ faults: [prose] }))
  const { prompt } = layTodo(stage, [{ mode: 'parallel', codes: ['A-1', 'B-1'] }])
  const [a, b] = claims(await stage.claude(prompt, delegating))
  assert.deepEqual([a?.status, b?.status], ['failed', 'fixed'])
  assert.match(a?.changes_summary ?? '', /can't be read.*All is well/s)
  const without = await stage.claude(prompt, withSchema)
  assert.match(claims(without)[0]?.changes_summary ?? '', /Agent type 'fixer-single' not found/)
})

test('without a master todo file that it can read, or with one that lacks an issue, the fixer says so', async (t) => {
  const stage = await setStage(t, scenario())
  const { prompt, todo } = layTodo(stage, [{ mode: 'parallel', codes: ['A-1'] }])
  const both = prompt.replace('"codes":["A-1"]', '"codes":["A-1","B-1"]')
  const statuses = async (asking: string) => claims(await stage.claude(asking, delegating)).map(({ status }) => status)
  assert.deepEqual(await statuses(both), ['fixed', 'skipped'])
  assert.deepEqual(await statuses(both.replaceAll(todo.master, '/nowhere/master_todo.json')), ['skipped', 'skipped'])
  assert.equal(existsSync(join(stage.work, 'b.txt')), false)
})

test('without the tool to hand issues on the fixer does them itself', async (t) => {
  const stage = await setStage(t, scenario())
  const { prompt } = layTodo(stage, [{ mode: 'parallel', codes: CODES }])
  await stage.claude(prompt, [...withSchema, '--disallowedTools', 'Agent'])
  assert.deepEqual(shown(stage), ['better', 'better', 'better', 'better'])
  assert.deepEqual(subAgents(stage.model.calls()), [])
})

test('sub-agents that the CLI may put in the background do not wait for the step before, and that shows', async (t) => {
  const background = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '0' }
  const stage = await setStage(t, scenario(), { environment: background })
  const { prompt } = layTodo(stage, [
    { mode: 'parallel', codes: ['A-1', 'B-1'] },
    { mode: 'parallel', codes: ['C-1', 'D-1'] },
  ])
  await stage.claude(prompt, delegating)
  const seen = phases(subAgents(stage.model.calls())).map(({ codes }) => codes.join(' '))
  assert.notDeepEqual(seen, ['A-1 B-1', 'C-1 D-1'])
})

test('the CLI refuses the twenty-first sub-agent of one message', async (t) => {
  const codes = Array.from({ length: 21 }, (_, index) => `N-${index + 1}`)
  const issues = Object.fromEntries(codes.map((code) => [code, { fixes: [{}] }]))
  const stage = await setStage(t, { issues })
  const { prompt } = layTodo(stage, [{ mode: 'parallel', codes }])
  const refused = claims(await stage.claude(prompt, delegating)).filter(({ status }) => status !== 'fixed')
  assert.equal(refused.length, 1)
  assert.match(refused[0]?.changes_summary ?? '', /You can run 20 subagents at once/)
})
