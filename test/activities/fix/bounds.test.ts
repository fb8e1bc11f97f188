// What a fixer and its sub-agents are told of their bounds, as it is sent by the real CLI.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bounds } from '../../../src/agents/prompts/parts/bounds.ts'
import { blocksOf, fixInput, sentIn, setTalk, type TalkBench } from '../plan/support.ts'
import { DEFAULTS, verifiedBy } from '../support.ts'

const FILES = { A: 'src/app.py', B: 'src/lib/util.py' }
/** A check with a test that fails on the base, and one that passes. */
const CHECK = "printf 'TAP version 14\\n1..2\\nok 1 - adds\\nnot ok 2 - syncs the stock\\n'; exit 1"

async function openBounded(bench: TalkBench, profile: string, more: object = {}) {
  const [id] = bench.ids
  bench.write({ 'CLAUDE.md': 'Two spaces.\n', 'src/.env': 'KEY=1\n', 'docs/.env': 'KEY=2\n' })
  bench.git(['add', '-f', '.'])
  bench.git(['commit', '-qm', 'conventions'])
  const scope = { ...DEFAULTS.scope, workspace_path: 'src' }
  const settings = { profile, scope, ...verifiedBy([CHECK], { setup: ['true'] }), ...more }
  await bench.session(id, FILES, settings, { user_notes: 'Please keep it short.' })
  const opened = await bench.run('openSession', { sessionId: id })
  await bench.run('verifyBaseline', { sessionId: id, stepId: 's0.base.verify', head: opened.base })
  return { id, opened }
}

function boundsIn(blocks: ReadonlyMap<string, string>): Record<keyof Bounds | string, unknown> {
  return JSON.parse(blocks.get('bounds') ?? '{}')
}

test('a fixer is told where it may work, what was red before, how long it has, what it reaches, and that the setup ran', async (t) => {
  const bench = await setTalk(t, {})
  const { id, opened } = await openBounded(bench, 'batched')
  await bench.run('fixBatch', fixInput(id, opened, ['A', 'B']))
  const blocks = blocksOf(bench.asked('fixer')[0])
  assert.deepEqual(boundsIn(blocks), {
    may_change: ['src'],
    needs_a_person: [
      'whatever lies elsewhere',
      'src/.env',
      'CLAUDE.md',
      'secrets, lockfiles, and what configures git, agents, editors or CI',
    ],
    red_before: [{ command: CHECK, outcome: 'failed: exit status 1', tests: ['syncs the stock'] }],
    check_ends_after: '20 seconds',
    this_call_ends_after: '15 minutes',
    network: 'open',
    setup_done: ['true'],
  })
})

test('a sub-agent is told all of it, with notes, conventions and checks, and has the model that the settings name', async (t) => {
  const bench = await setTalk(t, {})
  const { id, opened } = await openBounded(bench, 'one-call', {
    claude: { ...DEFAULTS.claude, models: ['claude-opus-4-5'] },
  })
  const [batch] = opened.stages[0]?.batches ?? []
  assert.ok(batch?.delegates)
  await bench.run('fixBatch', fixInput(id, opened, ['A', 'B'], { batch }))
  const told = bench.model.calls().filter(({ role }) => role === 'fixer_single')
  assert.deepEqual([...new Set(told.flatMap(({ codes }) => codes))].sort(), ['A', 'B'])
  for (const call of told) {
    const { system, model } = call.body as { system: unknown; model: string }
    assert.equal(model, 'claude-opus-4-5')
    const words = JSON.stringify(system)
    for (const part of [
      'syncs the stock',
      'src/.env',
      'whatever lies elsewhere',
      '15 minutes',
      'Two spaces.',
      'Please keep it short.',
    ])
      assert.ok(words.includes(part), part)
    assert.match(words, /<trusted name=\\"checks\\"/)
    assert.match(words, /<trusted name=\\"notes\\"/)
    assert.match(words, /<data name=\\"conventions\\"/)
  }
})

test('a call that is to do everything itself is offered no sub-agent', async (t) => {
  const bench = await setTalk(t, {})
  const { id, opened } = await openBounded(bench, 'verify')
  const [batch] = opened.stages[0]?.batches ?? []
  await bench.run('fixBatch', fixInput(id, opened, ['A', 'B'], { batch: batch! }))
  const [call] = bench.asked('fixer')
  assert.ok(call)
  const { tools } = call.body as { tools: { name: string }[] }
  assert.ok(!tools.some(({ name }) => name === 'Agent'))
  assert.ok(!sentIn(call).includes('fixer-single'))
})
