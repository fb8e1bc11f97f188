import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOffTarget } from '../../../src/domain/scope/off-target.ts'

const ISSUE = { file: 'src/cart.py', title: 'Discount twice', description: 'see `price.py`, too', suggested_fix: 'x' }
const isTest = (path: string) => path.startsWith('tests/')
const describe = (changed: readonly string[], issue = ISSUE) => describeOffTarget(issue, changed, isTest)

test('describeOffTarget finds nothing in changes of the named file, or of one that the text names', () => {
  for (const changed of [[], ['src/cart.py'], ['src/cart.py', 'tests/a.py'], ['lib/price.py', 'docs/x.md']])
    assert.equal(describe(changed), undefined)
  assert.equal(describe(['tests/a.py'], { ...ISSUE, file: 'tests/a.py' }), undefined)
})

test('describeOffTarget says of the others what they touch', () => {
  assert.equal(describe(['tests/price.py']), 'touches nothing but tests')
  assert.match(describe(['src/other.py']) ?? '', /neither src\/cart\.py nor another file/)
})
