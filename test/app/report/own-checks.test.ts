// What a check says is told of the issues that it can know of: not of every issue of the commit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesFile } from '../../../src/app/report/own-checks.ts'
import { renderReport } from '../../../src/app/report/render/formats.ts'
import { compareRuns } from '../../../src/domain/verification/compare-runs.ts'
import { issueWith, reportWith, SHA, TREE } from './support.ts'

test('a test names a file by its path or its name, in its own language', () => {
  const own = [
    ['tests/test_cart.py::test_total', 'shop/cart.py'],
    ['test_cart.CartTest.test_total', 'shop/cart.py'],
    ['CartServiceTest.total', 'src/main/java/CartService.java'],
    ['web/format.test.js > formats a price', 'web/format.js'],
    ['formats a price (src/format-price.ts)', 'src/format-price.ts'],
    ['cart/index: totals', 'src/cart/index.ts'],
  ] as const
  for (const [name, file] of own) assert.ok(namesFile(name, file), `${name} ${file}`)
  const others = [
    ['tests/test_cart.py::test_total', 'shop/cart.js'],
    ['tests/test_cart.py::test_total', 'shop/cartoon.py'],
    ['tests/test_shopping_cart.py::test_total', 'shop/shopping_list.py'],
    ['price/index: totals', 'src/cart/index.ts'],
    ['npm test', 'src/app.py'],
  ] as const
  for (const [name, file] of others) assert.ok(!namesFile(name, file), `${name} ${file}`)
})

const COMMAND = 'make test'
const PYTHON = 'tests/test_cart.py::test_total'
const WEB = 'web/format.test.js > rounds a price'

function issueOf(issue_code: string, file: string) {
  const run = (tests: Record<string, 'passed' | 'failed'>) => ({
    command: COMMAND,
    outcome: 'passed',
    output: '',
    tests,
  })
  const commands = compareRuns(
    [run({ [PYTHON]: 'failed', [WEB]: 'failed' })],
    [run({ [PYTHON]: 'passed', [WEB]: 'passed' })],
  )
  const verification = { step_id: 's1.i1.verify', tree: TREE, verdict: 'passed', commands } as const
  return issueWith('x', { issue_code, file, state: 'fixed', diff: null, proof: null, verification })
}

function sections(codes: readonly (readonly string[])[], issues: readonly ReturnType<typeof issueOf>[]) {
  const commits = codes.map((issue_codes) => ({ sha: SHA, message: 'fix: it', issue_codes: [...issue_codes] }))
  const text = renderReport({ ...reportWith('x', issues), commits }, 'md')
  const [whole = '', ...own] = text.split(/^### /m)
  return { whole, own: new Map(own.map((each) => [each.split(' ', 1)[0], each])) }
}

test('a Python test is not credited to a JavaScript fix because both were in one commit: the checks stand in full once, at the session', () => {
  const issues = [issueOf('BE-1', 'shop/cart.py'), issueOf('FE-1', 'web/format.js'), issueOf('DOC-1', 'docs/usage.md')]
  const { whole, own } = sections([['BE-1', 'FE-1', 'DOC-1']], issues)
  assert.match(whole, /## Checks[\s\S]*with BE-1, FE-1, DOC-1:[\s\S]*tests fixed by us\*\* tests\/test\S+, web\/format/)
  assert.match(own.get('BE-1') ?? '', /tests fixed by us\*\* tests\/test\\?_cart/)
  assert.doesNotMatch(own.get('BE-1') ?? '', /rounds a price/)
  assert.match(own.get('FE-1') ?? '', /tests fixed by us\*\* web\/format/)
  assert.doesNotMatch(own.get('FE-1') ?? '', /cart/)
  assert.match(
    own.get('DOC-1') ?? '',
    /\*\*checks\*\* passed with this commit, on the tree b{10}; none of them names it/,
  )
  for (const each of own.values()) assert.doesNotMatch(each, /make test/)
})

test('what turned with a commit of its own is an issue’s own, whatever the test is called', () => {
  const { own } = sections([['BE-1'], ['FE-1']], [issueOf('BE-1', 'shop/prices.py'), issueOf('FE-1', 'web/other.js')])
  assert.match(own.get('BE-1') ?? '', /tests fixed by us\*\* tests\/test/)
})
