import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLandingQueue } from '../../../src/workflows/lanes/landing-queue.ts'
import { stageOf } from '../../support/fake-ports.ts'

const stages = ['A', 'B', 'C'].map((codes) => stageOf(codes))

function queue(sharing: readonly (readonly string[])[] = []) {
  const landings = createLandingQueue('base', { stages, sharing: () => sharing })
  const turns: number[] = []
  const stage = (index: number) => {
    const landing = landings.join(index)
    const enter = () => landing.enter().then(() => void turns.push(index))
    return { ...landing, enter }
  }
  const [first, second, third] = [stage(0), stage(1), stage(2)]
  return { first, second, third, turns }
}

test('of stages that wait to land, the earliest in the plan is next', async () => {
  const { first, second, third, turns } = queue()
  await second.enter()
  const waiting = [third.enter(), first.enter()]
  second.end()
  await waiting[1]
  first.end()
  await waiting[0]
  assert.deepEqual(turns, [1, 0, 2])
})

test('a stage that has its turn gives it away while it waits for somebody', async () => {
  const { first, second, turns } = queue()
  await first.enter()
  const waiting = second.enter()
  await first.whileIdle(() => waiting)
  assert.deepEqual(turns, [0, 1])
})

test('a stage waits for an earlier one that shares a file, but not while that one waits for somebody', async () => {
  const { first, second, third, turns } = queue([['A', 'C']])
  const waiting = third.enter()
  await second.enter()
  second.end()
  await first.whileIdle(() => waiting)
  assert.deepEqual(turns, [1, 2])
})
