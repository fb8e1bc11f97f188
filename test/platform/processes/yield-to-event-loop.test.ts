import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createYield } from '../../../src/platform/processes/remove-tree.ts'

test('long work lets others have their turn, and short work goes on at once', async () => {
  let turns = 0
  const pause = createYield()
  setImmediate(() => {
    turns += 1
  })
  await pause()
  assert.equal(turns, 0)
  const since = performance.now()
  while (performance.now() - since < 20);
  await pause()
  assert.equal(turns, 1)
})
