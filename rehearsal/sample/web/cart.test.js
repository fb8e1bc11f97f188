import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartLabel } from './cart.js'

test('the label counts pieces, not lines', () => {
  assert.equal(cartLabel({ items: [{ quantity: 2 }, { quantity: 1 }] }), '3 items')
  assert.equal(cartLabel({ items: [{ quantity: 1 }] }), '1 item')
})

test('a visitor without a cart has no items', () => {
  assert.equal(cartLabel(null), '0 items')
})
