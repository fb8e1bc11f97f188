// Whether a failed command is said to say the same as the last time: never less than the truth, whatever a number in it means.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOutput, listOtherNumbers } from '../../../src/activities/fix/gather-feedback.ts'

test('hashOutput is the same for two runs that differ in times and addresses, and another one for other words or streams', () => {
  const run = (what: string, time: string, address: string) => [`FAIL a.test.ts (${time})\n  ${what} at ${address}`, '']
  const first = hashOutput(run('it broke', '12 ms', '0x7ffe12aa11'))
  assert.equal(first, hashOutput(run('it broke', '0.031 ms', '0xdeadbeef00')))
  assert.notEqual(first, hashOutput(run('it stopped', '12 ms', '0x7ffe12aa11')))
  assert.notEqual(first, hashOutput(run('it broke', '12 ms', '0x7ffe12aa11').toReversed()))
})

test('listOtherNumbers tells each line whose number differs, and nothing where words do, or where such lines are too many or too long', () => {
  const run = (value: number, time: string) => `a.test.ts\nexpected 3, got ${value}\nRan 2 tests in ${time}`
  assert.deepEqual(listOtherNumbers(run(4, '0.01s'), run(4, '0.01s')), [])
  assert.deepEqual(listOtherNumbers(run(4, '0.01s'), run(4, '0.12s')), ['Ran 2 tests in 0.12s'])
  assert.deepEqual(listOtherNumbers(run(4, '0.01s'), run(5, '0.01s')), ['expected 3, got 5'])
  assert.equal(listOtherNumbers(run(4, '0.01s'), `${run(4, '0.01s')}\nand more`), undefined)
  assert.equal(listOtherNumbers('1\n'.repeat(21), '2\n'.repeat(21)), undefined)
  assert.equal(listOtherNumbers(`${'x'.repeat(300)} 1`, `${'x'.repeat(300)} 2`), undefined)
})

test('listOtherNumbers and the earlier text together hold each line of the later one', () => {
  const text = fc
    .array(fc.constantFrom('got 4', 'got 5', '13:00:00', '', 'at 0x1f', 'at 0x2e', 'words'))
    .map((all) => all.join('\n'))
  fc.assert(
    fc.property(text, text, (before, now) => {
      const lines = listOtherNumbers(before, now)
      const known = new Set([...before.split('\n'), ...(lines ?? now.split('\n'))])
      for (const line of now.split('\n')) assert.ok(known.has(line), line)
    }),
  )
})
