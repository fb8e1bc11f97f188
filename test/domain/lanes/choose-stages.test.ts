import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseStagesToStart, findFreeLane } from '../../../src/domain/lanes/choose-stages.ts'
import { stageOf } from '../../support/fake-ports.ts'

const stages = ['A', 'B', 'C', 'D'].map((codes) => stageOf(codes))

function choose(state: { done?: number[]; running?: number[]; sharing?: string[][]; lanes: number }): number[] {
  const { done = [], running = [], sharing = [], lanes } = state
  return chooseStagesToStart({ stages, done: new Set(done), running: new Set(running), sharing, lanes })
}

test('stages begin in the order of the plan, as many as there are lanes', () => {
  assert.deepEqual(choose({ lanes: 3 }), [0, 1, 2])
  assert.deepEqual(choose({ lanes: 3, running: [0, 2] }), [1])
  assert.deepEqual(choose({ lanes: 3, running: [0, 1, 2] }), [])
  assert.deepEqual(choose({ lanes: 1, done: [0] }), [1])
})

test('a stage waits for an earlier one that shares a file, begun or not, and a later one passes it', () => {
  assert.deepEqual(choose({ lanes: 2, sharing: [['A', 'B']] }), [0, 2])
  assert.deepEqual(
    choose({
      lanes: 2,
      running: [0],
      sharing: [
        ['A', 'B'],
        ['B', 'C'],
      ],
    }),
    [3],
  )
  assert.deepEqual(choose({ lanes: 2, done: [0], sharing: [['A', 'B']] }), [1, 2])
})

test('a stage waits for a later one at work that turned out to share a file', () => {
  assert.deepEqual(choose({ lanes: 4, done: [0], running: [2], sharing: [['B', 'C']] }), [3])
})

test('the lowest lane that is free is taken', () => {
  assert.equal(findFreeLane([1, 3]), 2)
})
