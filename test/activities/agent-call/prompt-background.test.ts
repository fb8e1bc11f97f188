// What agents are told besides their task comes from the session's record and its artifacts, on whatever host they are asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { buildFixPrompts } from '../../../src/activities/fix/fixer-prompt-input.ts'
import { blocksIn, fixInput } from '../plan/support.ts'
import { setBench } from '../support.ts'

test('the review and the branches of a session stand in its prompts; an older session has neither and is none the worse for it [S4-2]', async (t) => {
  const bench = await setBench(t)
  const { ref: review } = await bench.shop.artifacts.put('# Review\n\nThe discount is wrong.')
  const against = { name: 'main', commit: bench.git(['rev-parse', 'HEAD']) }
  await bench.session('new', { A: 'src/app.py' }, {}, { options: { base_name: 'feature', against, review } })
  await bench.session('old', { A: 'src/app.py' })
  const told = async (id: string, resume?: { id: string }) => {
    const opened = await bench.run('openSession', { sessionId: id })
    const session = await loadSession(bench.shop, id)
    const start = { tree: opened.base, owners: {}, claims: {}, fromSnapshots: [] }
    const input = fixInput(id, opened, ['A'], resume ? { resume } : {})
    const { prompt, buildFullPrompt } = await buildFixPrompts(bench.shop, session, bench.workspace(id), {
      input,
      start,
    })
    return { blocks: blocksIn(prompt), afresh: blocksIn((await buildFullPrompt?.()) ?? '') }
  }
  const { blocks } = await told('new')
  assert.equal(blocks.get('review'), '# Review\n\nThe discount is wrong.')
  const { base, against: other } = JSON.parse(blocks.get('call') ?? '')
  assert.deepEqual([base, other], ['feature', 'main'])
  const resumed = await told('new', { id: 'c1' })
  assert.deepEqual([resumed.blocks.has('review'), resumed.afresh.has('review')], [false, true])
  const old = await told('old')
  assert.deepEqual([old.blocks.has('review'), 'base' in JSON.parse(old.blocks.get('call') ?? '')], [false, false])
})
