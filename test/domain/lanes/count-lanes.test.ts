import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowsLanes, countLanes, wantsLanes } from '../../../src/domain/lanes/count-lanes.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { DEFAULTS } from '../../activities/support.ts'

const MACHINE = { cores: 2, memoryMegabytes: 8_000 }

function asking(lanes: number | 'auto', change: Partial<Settings> = {}): Settings {
  return { ...DEFAULTS, limits: { ...DEFAULTS.limits, lanes }, ...change }
}

test('a session gets the lanes that it asks for, but no more than calls may run at once', () => {
  assert.equal(countLanes(DEFAULTS, MACHINE), 1)
  assert.equal(countLanes(asking(3), MACHINE), 3)
  assert.equal(countLanes(asking(9, { worker: { ...DEFAULTS.worker, max_parallel_calls: 5 } }), MACHINE), 5)
})

test('auto is the least of four, twice the cores, and a lane for each 700 MB, and never none', () => {
  const calls = { worker: { ...DEFAULTS.worker, max_parallel_calls: 16 } }
  const auto = (cores: number, memoryMegabytes: number) => countLanes(asking('auto', calls), { cores, memoryMegabytes })
  assert.deepEqual([auto(16, 64_000), auto(1, 64_000), auto(16, 1_500), auto(1, 300)], [4, 2, 2, 1])
})

test('sequential, one-call and verify keep one call at a time, whatever is set [S0-9, S1-2]', () => {
  for (const profile of ['sequential', 'one-call', 'verify']) {
    const settings = asking(4, { profile })
    assert.deepEqual([countLanes(settings, MACHINE), allowsLanes(settings), wantsLanes(settings)], [1, false, true])
  }
})

test('the profile parallel has as many as auto, unless their number is set', () => {
  const parallel = { profile: 'parallel' }
  assert.equal(countLanes({ ...DEFAULTS, ...parallel }, MACHINE), Math.min(4, DEFAULTS.worker.max_parallel_calls))
  assert.equal(countLanes(asking(1, parallel), MACHINE), 1)
  assert.equal(countLanes(asking(2, parallel), MACHINE), 2)
})

test('a session from before there were lanes has one', () => {
  const { lanes: _, ...limits } = DEFAULTS.limits
  const { lanes: __, ...batched } = DEFAULTS.profiles.batched!
  const before = { ...DEFAULTS, limits, profiles: { ...DEFAULTS.profiles, batched } }
  assert.equal(countLanes(before as unknown as Settings, MACHINE), 1)
})
