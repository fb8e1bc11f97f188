// Commands that are red on the base and whose single tests can't be read: the counts that their runner prints at its end tell a fix that
// breaks nothing from one that breaks everything.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { gatherFeedback } from '../../../src/activities/fix/gather-feedback.ts'
import { loadGateRecord } from '../../../src/activities/gate-records.ts'
import { setBench, verifiedBy } from '../support.ts'

/** No other test's: what carries its name in its marker is ended when that is closed. */
const SESSION = `s-${randomUUID()}`

const NO_CODE = ')))) this is not code ((((\n'
const SUITE = `import unittest
from src.app import add


class Sum(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)

    def test_adds_nothing(self):
        self.assertEqual(add(1, 0), 1)


class Old(unittest.TestCase):
    def test_of_a_newer_compiler(self):
        self.assertEqual("3.8", "3.9")
`
const RIGHT = 'def add(a, b):\n    return b + a\n'

const PYTHON = 'python3 -B -m unittest test_app'

async function setSession(t: TestContext, command = PYTHON, files: Readonly<Record<string, string>> = {}) {
  const bench = await setBench(t)
  bench.write({ 'test_app.py': SUITE, 'src/app.py': 'def add(a, b):\n    return a + b\n', ...files })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'suite'])
  await bench.session(SESSION, { A: 'src/app.py' }, verifiedBy([command]))
  const { base } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const verify = async (name: string, changed: Readonly<Record<string, string>>) => {
    await bench.fixed(SESSION, name, changed, 'A')
    const selections = [{ snapshot: name, codes: ['A'] }]
    const stepId = `s1.${name}.verify`
    return await bench.run('verifyTree', {
      sessionId: SESSION,
      stepId,
      head: base,
      selections,
      codes: ['A'],
      iteration: 1,
    })
  }
  return { bench, verify }
}

test('red base: a fix after which nothing can be imported is not passed, and the reason is told to the fixer', async (t) => {
  const { bench, verify } = await setSession(t)
  const broken = await verify('i1', { 'src/app.py': NO_CODE })
  assert.equal(broken.verdict, 'failed')
  assert.match(broken.summary, /failed: exit status 1, unittest passed 2 before and has not come to its end now$/)
  const session = await loadSession(bench.shop, SESSION)
  const { verification } = await gatherFeedback(bench.shop, session, ['s1.i1.verify'], ['A'])
  assert.match(verification?.[0]?.newly_broken?.[0] ?? '', /^unittest passed 2 before/)
})

test('red base: a fix that breaks another test than the one that was red is not passed, and the test is named', async (t) => {
  const { verify } = await setSession(t)
  const broken = await verify('i1', { 'src/app.py': 'def add(a, b):\n    return a + b if b else 0\n' })
  assert.equal(broken.verdict, 'failed')
  assert.match(
    broken.summary,
    /test_adds_nothing \(test_app\.Sum\.test_adds_nothing\) newly failing: passed 2 → 1, failed 1 → 2/,
  )
})

test('red base: a fix that breaks nothing is verified, with the counts', async (t) => {
  const { bench, verify } = await setSession(t)
  const told = async () =>
    (await bench.store.events.listAfter(SESSION)).findLast(({ type }) => type === 'fix_verification_result')?.message
  assert.match((await told()) ?? '', /failed: exit status 1, 2 of 3 passed, 1 failed$/)
  const same = await verify('i1', { 'src/app.py': RIGHT })
  assert.equal(same.verdict, 'passed')
  assert.match(same.summary, /failed: exit status 1, as before: 2 of 3 passed, 1 failed$/)
})

test('red base: a fix that skips all tests is not passed, although nothing fails any more', async (t) => {
  const { verify } = await setSession(t)
  const skipped = SUITE.replaceAll('\nclass ', '\n@unittest.skip("later")\nclass ')
  assert.equal((await verify('i1', { 'test_app.py': skipped })).verdict, 'failed')
})

for (const [base, suite] of [
  ['red', SUITE],
  ['green', SUITE.slice(0, SUITE.indexOf('\n\nclass Old'))],
] as const) {
  test(`${base} base: a fix that ends the tests with exit status 0 is not passed`, async (t) => {
    const { verify } = await setSession(t, PYTHON, { 'test_app.py': suite })
    const ended = await verify('i1', { 'src/app.py': 'import os\nos._exit(0)\n' })
    assert.equal(ended.verdict, 'failed')
    assert.match(ended.summary, /passed, unittest passed 2 before and has not come to its end now$/)
  })
}

test('a base on which the program is missing proves nothing, whatever happens later', async (t) => {
  const { verify } = await setSession(t, 'no-such-runner --all')
  assert.equal((await verify('i1', { 'src/app.py': NO_CODE })).verdict, 'unverified')
})

test('a summary on record holds no secret', async (t) => {
  const secret = `AKIA${'QWERTZUIOPASDFGH'}`
  const { bench } = await setSession(t, `sh suite.sh`, {
    'suite.sh': `echo 'FAILED tests/test_a.py::test_${secret} - no'; echo '1 failed, 2 passed in 0.1s'; exit 1\n`,
  })
  const session = await loadSession(bench.shop, SESSION)
  const [run] = (await loadGateRecord(bench.shop, session, 'base'))?.verification ?? []
  assert.equal(run?.summary?.runners[0]?.failing.length, 1)
  assert.doesNotMatch(JSON.stringify(run), new RegExp(secret))
})
