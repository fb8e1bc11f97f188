import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { anyKeyRecord } from '../../../src/domain/text/any-key-record.ts'

test('anyKeyRecord keeps each key that JSON has, `__proto__` too, and refuses what has other values', () => {
  const schema = z.object({ owners: anyKeyRecord(z.array(z.string())) })
  const stored = '{"owners":{"__proto__":["A"],"constructor":["B"],"src/a.ts":["A","B"]}}'
  assert.equal(JSON.stringify(schema.parse(JSON.parse(stored))), stored)
  for (const owners of [null, 'A', ['A'], { 'src/a.ts': 'A' }, { 'src/a.ts': [1] }])
    assert.equal(schema.safeParse({ owners }).success, false, JSON.stringify(owners))
})
