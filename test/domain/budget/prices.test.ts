import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addUsage, computeCost, findPrice } from '../../../src/domain/budget/prices.ts'

const price = (model: string, input = 1) => ({ model, input, output: 4 })

test('a price is found by the whole name first, then by the longest beginning with a star', () => {
  const prices = [price('gemini-*'), price('gemini-2.5-*', 2), price('gemini-2.5-flash', 3)]
  assert.equal(findPrice(prices, 'gemini-2.5-flash')?.input, 3)
  assert.equal(findPrice(prices, 'gemini-2.5-flash-lite')?.input, 2, 'a name without a star is no beginning')
  assert.equal(findPrice(prices, 'gemini-3')?.input, 1)
  assert.equal(findPrice(prices, 'opus'), undefined)
})

test('a cost is that of what was fresh, what came from a cache, and what was written; without a price there is none', () => {
  const usage = { input: 1_000_000, cached: 400_000, output: 250_000 }
  assert.equal(computeCost(usage, { ...price('m'), cached: 0.5 }), 0.6 + 0.2 + 1)
  assert.equal(computeCost(usage, price('m')), 2)
  assert.equal(computeCost(usage, { ...price('m', 2.5), cached: 0.5 }), 1.5 + 0.2 + 1)
  assert.equal(computeCost(usage, undefined), undefined)
  assert.equal(computeCost({ input: 0, cached: 0, output: 0 }, undefined), 0)
})

test('what several calls used is added up, kind by kind', () => {
  const sum = addUsage({ input: 10, cached: 4, output: 3 }, { input: 5, cached: 1, output: 2 })
  assert.deepEqual(sum, { input: 15, cached: 5, output: 5 })
})

test('no cost is ever negative, whatever a CLI tells', () => {
  const Usage = fc.record({ input: fc.nat(), cached: fc.nat(), output: fc.nat() })
  fc.assert(
    fc.property(Usage, (usage) => {
      assert.ok((computeCost(usage, { ...price('m'), cached: 0.1 }) ?? 0) >= 0)
    }),
  )
})
