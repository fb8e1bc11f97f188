// The scripted model, with the real CLIs: the rest of what test/rehearsal/model.test.ts has.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startModel } from '../../rehearsal/model.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { setStage, withSchema } from '../rehearsal/support.ts'
import { fixBoth, ISSUES, prepare, SCENARIO } from '../rehearsal/two-issues.ts'

test('Claude gives the reply as structured output when a schema asks for it, several tools in one turn, with thinking', async (t) => {
  const { claude, work, model } = await setStage(t, { ...SCENARIO, together: true, thinking: 'Both are small.' })
  prepare(work)
  const run = await claude(fixBoth, withSchema)
  assert.equal(run.status, 0, run.stderr)
  assert.equal(JSON.parse(run.stdout).structured_output.results.length, 2)
  assert.equal(model.calls().length, 3)
})

test('the same call made again finds its edits in place and goes on, in a new conversation and in a resumed one', async (t) => {
  const { claude, work } = await setStage(t, SCENARIO)
  prepare(work)
  const first = JSON.parse((await claude(fixBoth, withSchema)).stdout)
  const fixed = readFileSync(join(work, 'src/a.py'), 'utf8')
  const resumed = JSON.parse((await claude(fixBoth, [...withSchema, '--resume', first.session_id])).stdout)
  const fresh = JSON.parse((await claude(fixBoth, withSchema)).stdout)
  for (const again of [resumed, fresh]) assert.deepEqual(again.structured_output, first.structured_output)
  assert.equal(resumed.session_id, first.session_id)
  assert.equal(readFileSync(join(work, 'src/a.py'), 'utf8'), fixed)
})

test('a later iteration in a resumed conversation does what the scenario says for it, a repair only answers', async (t) => {
  const { claude, work, model } = await setStage(t, {
    issues: {
      'A-1': {
        fixes: [
          { steps: [{ tool: 'edit', file: 'a.txt', old: 'one', new: 'two' }] },
          { steps: [{ tool: 'edit', file: 'a.txt', old: 'two', new: 'three' }], status: 'blocked' },
        ],
      },
    },
  })
  writeFileSync(join(work, 'a.txt'), 'one\n')
  const first = JSON.parse((await claude(writePrompt({ role: 'fixer', codes: ['A-1'] }), withSchema)).stdout)
  const refix = writePrompt({ role: 're_fixer', codes: ['A-1'], iteration: 2 }, { feedback: 'Not yet.' })
  const second = JSON.parse(
    (await claude(refix, [...withSchema, '--resume', first.session_id, '--fork-session'])).stdout,
  )
  assert.equal(readFileSync(join(work, 'a.txt'), 'utf8'), 'three\n')
  assert.equal(second.structured_output.results[0].status, 'blocked')
  const before = model.calls().length
  const repair = writePrompt({ role: 're_fixer', codes: ['A-1'], iteration: 2, purpose: 'repair' })
  const third = JSON.parse((await claude(repair, ['--resume', second.session_id])).stdout)
  assert.equal(JSON.parse(third.result).results[0].status, 'blocked')
  assert.equal(model.calls().length, before + 1)
})

test('Gemini can be the fixer, and a challenger in plan mode cannot write', async (t) => {
  const { gemini, work } = await setStage(t, SCENARIO)
  prepare(work)
  const planned = await gemini(fixBoth, ['--approval-mode', 'plan'], { cwd: work })
  assert.equal(planned.status, 0, planned.stderr)
  assert.equal(existsSync(join(work, 'src/b.js')), false)
  const run = await gemini(fixBoth, ['--approval-mode', 'yolo'], { cwd: work })
  assert.equal(run.status, 0, run.stderr)
  assert.match(readFileSync(join(work, 'src/a.py'), 'utf8'), /return x \+ 1\n\ndef g/)
  assert.equal(readFileSync(join(work, 'src/b.js'), 'utf8'), 'export const b = "é"\n')
})

test('branch names and commit messages are proposed from the issues', async (t) => {
  const { claude } = await setStage(t, {})
  const ask = async (role: string) =>
    JSON.parse(
      JSON.parse((await claude(writePrompt({ role, codes: ['A-1'] }, { issues: ISSUES }), ['--tools', ''])).stdout)
        .result,
    )
  assert.deepEqual(await ask('git-branch-creator'), { branch: 'fix/f-forgets-to-add-one' })
  assert.deepEqual(await ask('git-committer'), { message: 'Fix f forgets to add one (A-1)' })
})

test('a model that was ended and started again in the middle of a call goes on where it was', async (t) => {
  const held = { ...SCENARIO, faults: [{ match: { nth: 3 }, fault: { kind: 'hold' } }] } satisfies ScenarioInput
  const { claude, work, model } = await setStage(t, held, { attempts: 5 })
  prepare(work)
  const running = claude(fixBoth, withSchema)
  await model.waitFor({ role: 'fixer', nth: 3 })
  await model.close()
  const successor = await startModel({ scenario: SCENARIO, port: model.port })
  t.after(() => successor.close())
  const run = await running
  assert.equal(run.status, 0, run.stdout)
  assert.ok(existsSync(join(work, 'src/b.js')))
  assert.deepEqual(
    successor.calls().map((call) => call.step),
    [2, 3],
  )
})
