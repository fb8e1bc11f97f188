import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes } from '../../../src/domain/text/format-bytes.ts'

test('formatBytes writes a size in the unit that people read', () => {
  const sizes = [0, 512, 999, 1000, 1500, 20_000_000, 999_999_999, 4_294_967_296, 5e15]
  assert.deepEqual(sizes.map(formatBytes), [
    '0 bytes',
    '512 bytes',
    '999 bytes',
    '1 kB',
    '1.5 kB',
    '20 MB',
    '999 MB',
    '4.2 GB',
    '5000 TB',
  ])
})
