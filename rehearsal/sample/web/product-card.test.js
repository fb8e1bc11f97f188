import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productCard } from './product-card.js'

test('a card shows the name and the price', () => {
  const card = productCard({ name: 'Lantern', price: '12.50' })
  assert.match(card, /<h2>Lantern<\/h2><p>12.50<\/p>/)
})

test('a name cannot bring markup into the page', () => {
  const card = productCard({ name: '<img src=x onerror=alert(1)>', price: '1.00' })
  assert.doesNotMatch(card, /<img/)
})
