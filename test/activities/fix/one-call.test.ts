// One call that hands its issues on to sub-agents, with the real CLI: what it reads, what came of it issue by issue.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { phases, subAgents } from '../../../rehearsal/model-calls.ts'
import type { ScenarioInput } from '../../../rehearsal/scenario.ts'
import { blocksOf, fixInput, sentIn, setTalk } from '../plan/support.ts'
import { DEFAULTS } from '../support.ts'

const FILES = { A: 'src/app.py', B: 'src/lib/util.py', C: 'src/app.py' }
const edit = (file: string, old: string, now: string) => ({ steps: [{ tool: 'edit' as const, file, old, new: now }] })
const SCENARIO: ScenarioInput = {
  issues: {
    A: { fixes: [edit('src/app.py', 'return 1', 'return 2')] },
    B: { fixes: [edit('src/lib/util.py', 'line 3\n', 'line three\n')] },
    C: { fixes: [edit('src/app.py', 'return 2', 'return 2 + 0')] },
  },
  latencyMs: { fixer_single: 100 },
}

test('one call works through the master file’s steps, whatever became of that file, and each issue is read from the diff [S1-2, S1-10] [C19]', async (t) => {
  const bench = await setTalk(t, SCENARIO)
  const [id] = bench.ids
  const opened = await bench.opened(id, FILES, { profile: 'one-call' })
  const [batch] = opened.stages[0]?.batches ?? []
  assert.ok(batch?.delegates)
  // As on another host.
  rmSync(join(bench.shop.sessionsFolder, id, `fix_session_${id}`), { recursive: true })
  const { work } = await bench.run('fixBatch', fixInput(id, opened, ['A', 'B', 'C'], { batch }))
  const files = Object.fromEntries(Object.entries(work.issues).map(([code, own]) => [code, own.files]))
  assert.deepEqual(files, { A: 1, B: 1, C: 1 })
  assert.deepEqual(work.violations, [])

  const [fixer, ...others] = bench.asked('fixer')
  assert.deepEqual(others, [], 'one call, and no repair')
  const todo = JSON.parse(blocksOf(fixer).get('todo') ?? '')
  assert.deepEqual(todo, {
    folder: join(bench.shop.sessionsFolder, id, `fix_session_${id}`),
    master: join(bench.shop.sessionsFolder, id, `fix_session_${id}`, 'master_todo.json'),
  })
  const handed = subAgents(bench.model.calls())
  assert.deepEqual(
    phases(handed).map(({ codes, together }) => [[...codes].sort(), together]),
    [
      [['A', 'B'], true],
      [['C'], true],
    ],
    'the issues of a step side by side, the steps one after the other',
  )
})

test('an issue that the one reply leaves out is no problem for the others', async (t) => {
  const bench = await setTalk(t, {
    ...SCENARIO,
    faults: [{ match: { role: 'fixer', at: 'reply' }, fault: { kind: 'text', preset: 'missing-issue' } }],
  })
  const [id] = bench.ids
  const opened = await bench.opened(id, FILES, { profile: 'one-call' })
  const [batch] = opened.stages[0]?.batches ?? []
  const { work, failure } = await bench.run('fixBatch', fixInput(id, opened, ['A', 'B', 'C'], { batch: batch! }))
  assert.equal(failure, undefined)
  assert.deepEqual(
    Object.values(work.issues).map(({ files }) => files),
    [1, 1, 1],
  )
})

test('a re-fix hands on only what goes round again, and its sub-agents read answers that are theirs, also among the temporary files', async (t) => {
  const bench = await setTalk(t, SCENARIO)
  const [id] = bench.ids
  const folder = join(tmpdir(), `fix_session_${id}`)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  bench.write({ 'requirements.txt': 'fastapi\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-qm', 'uses FastAPI'])
  const artifacts = { ...DEFAULTS.artifacts, todo_files: 'temporary' as const }
  const opened = await bench.opened(id, FILES, { profile: 'one-call', artifacts })
  const [batch] = opened.stages[0]?.batches ?? []
  const decided = { by: 'Ada', from: 'terminal', at: Date.now() }
  const answered = [
    { id: 'B-q1', code: 'B', question: 'How?', context: '', answer: 'ANSWER-B', ...decided },
    { id: 'C-q1', code: 'C', question: 'How?', context: '', answer: 'ANSWER-C', ...decided },
  ]
  const { brief } = await bench.run('applyPlan', { sessionId: id, stepId: 'plan.apply', answered, edits: [] })
  const again = { stepId: 's1.i2.b1.fix', iteration: 2, batch: batch!, brief }
  await bench.run('fixBatch', fixInput(id, opened, ['B'], again))
  const handed = subAgents(bench.model.calls())
  assert.deepEqual(
    handed.map(({ codes }) => codes),
    [['B']],
  )
  const everything = bench.model
    .calls()
    .filter(({ agent }) => agent !== undefined)
    .map(sentIn)
    .join('')
  assert.ok(everything.includes(`${folder}/fix_todo_B.json`))
  assert.ok(everything.includes('### FastAPI'), 'the guidelines for what the repository uses')
  assert.ok(everything.includes('ANSWER-B') && !everything.includes('ANSWER-C'))
})
