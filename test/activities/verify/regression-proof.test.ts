// Whether the tests of a fix fail without it, with real git and real commands: in a folder of their own, which holds the base and the
// tests and nothing else of the fix.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MockActivityEnvironment } from '@temporalio/testing'
import { createSessionActivities } from '../../../src/activities/index.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { GateRecord } from '../../../src/domain/verification/gate-record.ts'
import type { GateInput } from '../../../src/domain/workflow-types/index.ts'
import { until } from '../../support/until.ts'
import { dyingShop, QUIET, S1, setBench, verifiedBy } from '../support.ts'

/** Runs each test of the folder: a script that succeeds. */
const SUITE = 'for each in tests/*.sh; do sh "$each" || exit 1; done'
const FIXED = 'def f():\n    return 2\n'
const PROVES = 'grep -q "return 2" src/app.py\n'

async function setSession(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  {
    owners = {},
    verification = {},
  }: { owners?: Record<string, string>; verification?: Partial<Settings['verification']> } = {},
) {
  const bench = await setBench(t)
  bench.write({ 'tests/old.sh': 'grep -q def src/app.py\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'a suite'])
  await bench.session(
    S1,
    { A: 'src/app.py', B: 'src/lib/util.py' },
    verifiedBy([SUITE], { prove: true, ...verification }),
  )
  const { base, rules, branch } = await bench.run('openSession', { sessionId: S1 })
  assert.equal(rules.provesFixes, true)
  await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head: base })
  const codes = ['A', ...new Set(Object.values(owners))]
  const tree = await bench.fixed(S1, 'fix1', files, 'A', owners)
  const input: GateInput = {
    sessionId: S1,
    stepId: 's1.prove1.1',
    head: base,
    selections: [{ snapshot: 'fix1', codes }],
    codes: ['A'],
    iteration: 1,
  }
  const verified = await bench.run('verifyTree', { ...input, codes, stepId: 's1.i1.verify' })
  const recordOf = async (call = input.stepId) => {
    const [kept] = await bench.store.artifacts.listForSession(S1, { kind: 'verdict', name: call })
    assert.ok(kept)
    return GateRecord.parse(JSON.parse(await bench.shop.artifacts.getText(kept.ref)))
  }
  return { bench, base, branch, tree, input, verified, recordOf }
}

test('a test that fails without the fix proves it: told, on record, said by the commit; nothing else is touched', async (t) => {
  const setup = ['mkdir -p node_modules && touch node_modules/helper']
  const needs = `test -f node_modules/helper && ${PROVES}`
  const { bench, input, tree, verified, recordOf, branch } = await setSession(
    t,
    { 'src/app.py': FIXED, 'tests/new.sh': needs, 'src/helper.py': 'x\n' },
    { verification: { setup } },
  )
  assert.equal(verified.verdict, 'passed')
  const before = bench.git(['status', '--porcelain', '--ignored'], bench.workspace(S1).tree)
  assert.deepEqual(await bench.run('proveFix', input), { verdict: 'proven' })
  assert.deepEqual(await recordOf(), {
    tree,
    proof: {
      codes: ['A'],
      verdict: 'proven',
      why: `without the fix ${SUITE} fails, with it it passes`,
      files: ['tests/new.sh'],
      commands: [SUITE],
      tests: [],
    },
  })
  const told = (await bench.store.events.listAfter(S1)).filter(({ type }) => type === 'fix_proof_result')
  assert.deepEqual(
    told.map(({ issue_code, message }) => [issue_code, message]),
    [['A', `A · proven: without the fix ${SUITE} fails, with it it passes`]],
  )
  assert.equal(bench.git(['status', '--porcelain', '--ignored'], bench.workspace(S1).tree), before)
  assert.equal(bench.git(['stash', 'list']), '')
  const checkouts = join(bench.workspace(S1).directory, 'checkouts')
  assert.deepEqual(existsSync(checkouts) ? readdirSync(checkouts) : [], [])

  const runs = (await bench.store.artifacts.listForSession(S1, { kind: 'verification' })).length
  assert.deepEqual(await bench.run('proveFix', input), { verdict: 'proven' }, 'asked again, as after a lost worker')
  assert.equal(
    (await bench.store.artifacts.listForSession(S1, { kind: 'verification' })).length,
    runs,
    'nothing is run again',
  )

  const commit = {
    ...input,
    stepId: 's1.commit',
    tree,
    verified: verified.verdict,
    proofStepIds: [input.stepId],
    at: Date.now(),
  }
  await bench.run('commitStage', { ...commit, iterations: { A: 1 } })
  assert.match(bench.git(['log', '-1', '--format=%B', branch ?? '']), /^Fixwright-Proven: A: tests\/new\.sh$/m)
})

test('what proves nothing says why, and stops no commit', async (t) => {
  for (const [files, why] of [
    [{ 'src/app.py': FIXED }, /^no test was added or changed$/],
    [{ 'src/app.py': FIXED, 'tests/new.sh': 'true\n' }, /^its tests pass without the fix, too$/],
    [{ 'src/app.py': FIXED, 'notes/new.txt': 'no test' }, /^no test was added or changed$/],
  ] as const) {
    const { bench, input, tree, recordOf, branch } = await setSession(t, files)
    assert.deepEqual(await bench.run('proveFix', input), { verdict: 'not_proven' })
    assert.match((await recordOf()).proof?.why ?? '', why)
    const commit = { ...input, stepId: 's1.commit', tree, verified: 'passed' as const, proofStepIds: [input.stepId] }
    const outcome = await bench.run('commitStage', { ...commit, at: Date.now(), iterations: { A: 1 } })
    assert.equal(outcome.kind, 'committed')
    assert.doesNotMatch(bench.git(['log', '-1', '--format=%B', branch ?? '']), /Fixwright-Proven/)
  }
})

test('a setup that fails there is no proof, and neither is a test of another knot', async (t) => {
  const { bench, input, recordOf } = await setSession(
    t,
    { 'src/app.py': FIXED, 'tests/new.sh': PROVES },
    { owners: { 'src/lib/util.py': 'B', 'tests/new.sh': 'B' } },
  )
  assert.deepEqual(await bench.run('proveFix', input), { verdict: 'not_proven' })
  assert.equal((await recordOf()).proof?.why, 'no test was added or changed')
  const other = { ...input, stepId: 's1.prove1.2', codes: ['B'] }
  assert.deepEqual(await bench.run('proveFix', other), { verdict: 'proven' })
  assert.deepEqual((await recordOf(other.stepId)).proof?.codes, ['B'])

  const broken = await setSession(
    t,
    { 'src/app.py': FIXED, 'tests/new.sh': PROVES, 'tests/package-lock.json': '{}' },
    { verification: { setup: ['test ! -e tests/package-lock.json || grep -q "return 2" src/app.py'] } },
  )
  assert.deepEqual(await broken.bench.run('proveFix', broken.input), { verdict: 'not_proven' })
  assert.match((await broken.recordOf()).proof?.why ?? '', /^the setup failed where only the tests were added/)
})

test('in a suite that was red before, the test itself is seen to fail and to pass', async (t) => {
  const tap =
    'bad=0; for each in tests/*.sh; do sh "$each" && echo "ok - $each" || { echo "not ok - $each"; bad=1; }; done; echo 1..$(ls tests | wc -l); exit $bad'
  const bench = await setSession(
    t,
    { 'src/app.py': FIXED, 'tests/new.sh': PROVES },
    { verification: { commands: ['true', `cp tests/old.sh tests/older.sh; echo false > tests/older.sh; ${tap}`] } },
  )
  assert.equal(bench.verified.verdict, 'passed')
  assert.deepEqual(await bench.bench.run('proveFix', bench.input), { verdict: 'proven' })
  assert.deepEqual((await bench.recordOf()).proof?.tests, ['tests/new.sh'])
})

test('trouble with git or the store is tried again, and then costs no more than the proof; a cancellation gets through', async (t) => {
  const began = join(tmpdir(), `begun-${S1}`)
  t.after(() => rmSync(began, { force: true }))
  const hangs = `case $PWD in *prove*) touch ${began}; sleep 300;; esac; ${SUITE}`
  const files = { 'src/app.py': FIXED, 'tests/new.sh': PROVES }
  const { bench, input, recordOf } = await setSession(t, files, { verification: { commands: [hangs] } })
  const lost = { ...input, stepId: 's1.prove2.1', selections: [{ snapshot: 'lost', codes: ['A'] }] }
  await assert.rejects(bench.run('proveFix', lost, { info: { attempt: 1 } }), 'Temporal tries it again')
  assert.deepEqual(await bench.run('proveFix', lost, { info: { attempt: 3 } }), { verdict: 'not_proven' })
  assert.match((await recordOf(lost.stepId)).proof?.why ?? '', /^it could not be looked at: .*lost/)
  const { message } = (await bench.store.events.listAfter(S1)).findLast(({ type }) => type === 'fix_proof_result') ?? {}
  assert.match(message ?? '', /^A · not proven: it could not be looked at: /)
  const { shop } = dyingShop(bench.shop, 1, 'before')
  assert.deepEqual(await bench.run('proveFix', input, { shop, info: { attempt: 3 } }), { verdict: 'not_proven' })

  const environment = new MockActivityEnvironment({ attempt: 3 }, { logger: QUIET })
  const running = environment.run(createSessionActivities(bench.shop).proveFix, input)
  await until('it runs', () => existsSync(began))
  environment.cancel()
  await assert.rejects(running, /cancel/i)
})
