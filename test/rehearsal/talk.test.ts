// Who speaks before the first fix, with the real Claude CLI; more of it in test/slow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, reply } from './asking.ts'
import { setStage } from './support.ts'

test('faults strike the clarifier and the planner by their roles', async (t) => {
  const { claude } = await setStage(t, {
    faults: [
      { match: { role: 'clarifier', nth: 1 }, fault: { kind: 'text', text: 'All clear!' } },
      { match: { role: 'planner' }, fault: { kind: 'text', preset: 'missing-issue' } },
    ],
  })
  assert.equal(JSON.parse((await claude(ask('clarifier', 1))).stdout).result, 'All clear!')
  assert.equal(reply(await claude(ask('clarifier', 1))).ready_to_fix, true)
  assert.deepEqual(
    (reply(await claude(ask('planner', 1))).issues as { issue_code: string }[]).map(({ issue_code }) => issue_code),
    ['B-1'],
  )
})
