// Commands whose tests can be read, on a real base and a real fix: what they prove, what is told to whom, and what is not believed.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { gatherFeedback } from '../../../src/activities/fix/gather-feedback.ts'
import { loadGateRecord } from '../../../src/activities/gate-records.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { type Bench, gateInput, setBench, verifiedBy } from '../support.ts'

/** No other test's: what carries its name in its marker is ended when that is closed. */
const SESSION = `s-${randomUUID()}`

const TAP = 'sh suite.sh'
/** A suite of three tests, each red where its file says so. */
const SUITE = `echo 1..3; bad=0
for n in 1 2 3; do
  if grep -q red src/t$n 2>/dev/null; then echo "not ok $n - test $n"; bad=1; else echo "ok $n - test $n"; fi
done
exit $bad
`

async function setSession(t: TestContext, commands: readonly string[], more: Partial<Settings['verification']> = {}) {
  const bench = await setBench(t)
  bench.write({ 'suite.sh': SUITE, 'src/t1': 'red\n', 'src/t2': 'green\n', 'src/t3': 'red\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'suite'])
  await bench.session(SESSION, { A: 'src/app.py' }, verifiedBy(commands, more))
  const { base } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const verify = async (name: string, files: Readonly<Record<string, string>>) => {
    await bench.fixed(SESSION, name, files, 'A')
    const call = `s1.${name}.verify`
    return await bench.run('verifyTree', gateInput(SESSION, call, base, name))
  }
  return { bench, base, verify }
}

async function feedbackOf(bench: Bench, call: string) {
  const session = await loadSession(bench.shop, SESSION)
  const { verification } = await gatherFeedback(bench.shop, session, [call], ['A'])
  return verification?.map(({ command, newly_broken }) => [command, newly_broken])
}

test('red before and red after: what breaks no test passes the gate, what breaks one does not, and its name comes first [S4-3]', async (t) => {
  const { bench, verify } = await setSession(t, [TAP])
  const better = await verify('i1', { 'src/t1': 'green\n' })
  assert.deepEqual(
    [better.verdict, better.summary],
    ['passed', 'sh suite.sh: failed: exit status 1, as before: no test newly broken'],
  )
  const worse = await verify('i2', { 'src/t1': 'green\n', 'src/t2': 'red\n' })
  assert.deepEqual(
    [worse.verdict, worse.summary],
    ['failed', 'sh suite.sh: failed: exit status 1, 1 test(s) newly broken (test 2)'],
  )
  assert.deepEqual(await feedbackOf(bench, 's1.i2.verify'), [[TAP, ['test 2']]])
  const told = (await bench.store.events.listAfter(SESSION)).findLast(
    (event) => event.type === 'fix_verification_result',
  )
  assert.match(told?.message ?? '', /newly broken: test 2$/)
  const [run] = told?.data.runs ?? []
  assert.deepEqual(run?.tests, { fixed: 1, broken: 1, broken_before: 1, gone: 0, passing: 1 })
  assert.deepEqual(run?.test_names, { fixed: ['test 1'], broken: ['test 2'], broken_before: ['test 3'], gone: [] })
})

test('a red base is told in numbers, and what is still red as red before: neither is called passed [S4-2]', async (t) => {
  const session = await setSession(t, ['true', 'test -f never'])
  const told = async (): Promise<string> => {
    const events = await session.bench.store.events.listAfter(SESSION)
    return events.findLast((event) => event.type === 'fix_verification_result')?.message ?? ''
  }
  assert.equal(await told(), 'on the untouched base: 1 of 2 passed · test -f never: failed: exit status 1')
  assert.equal((await session.verify('i1', { 'src/t1': 'green\n' })).verdict, 'passed')
  assert.match(await told(), /passed · test -f never: failed: exit status 1, and failed before$/)
})

test('after a failure that counts the other commands are run only where `fail_fast` is off; on the untouched base all are [S4-1]', async (t) => {
  const commands = ['false', '! grep -q red src/t2', 'true']
  for (const [more, run] of [
    [{ fail_fast: true }, 2],
    [{ fail_fast: false }, 3],
    [{ fail_fast: true, strict: true }, 1],
  ] as const) {
    const { bench, verify } = await setSession(t, commands, more)
    assert.equal((await verify('i1', { 'src/t2': 'red\n' })).verdict, 'failed')
    const session = await loadSession(bench.shop, SESSION)
    const runOn = async (call: string) => (await loadGateRecord(bench.shop, session, call))?.verification?.length
    assert.deepEqual([await runOn('base'), await runOn('s1.i1.verify')], [3, run])
  }
})

test('a suite that breaks off takes the tests away that passed, which is worse, also beside a green command; so is one that runs one of them no more', async (t) => {
  const off = { 'suite.sh': 'echo 1..3; echo ok 1 - test 1; exit 1\n' }
  const words = '1 test(s) that passed before are not seen any more'
  for (const commands of [[TAP], [TAP, 'true']]) {
    const { bench, verify } = await setSession(t, commands, { fail_fast: false })
    const { verdict, summary } = await verify('i1', off)
    assert.deepEqual([verdict, summary], ['failed', `sh suite.sh: failed: exit status 1, ${words}`])
    const told = (await bench.store.events.listAfter(SESSION)).findLast(
      (event) => event.type === 'fix_verification_result',
    )
    assert.ok((told?.message ?? '').endsWith(words), told?.message ?? '')
    const [run] = told?.data.runs ?? []
    assert.deepEqual([run?.unseen, run?.tests], [1, undefined])
    assert.deepEqual(await feedbackOf(bench, 's1.i1.verify'), [[TAP, [`${words}: its results can't be read`]]])
  }
  const { verify } = await setSession(t, [TAP])
  const fewer = await verify('i1', { 'suite.sh': 'echo 1..2; echo ok 1 - test 1; echo not ok 2 - test 3; exit 1\n' })
  assert.equal(fewer.verdict, 'failed')
  assert.match(fewer.summary, /, 1 test\(s\) that passed before are not run any more \(test 2\)$/)
})

test('a suite of which no test passed has none to lose: red before and red after proves nothing', async (t) => {
  const { verify } = await setSession(t, [`! grep -q red src/t2 && ${TAP} | sed 's/^ok/not ok/'; exit 1`])
  assert.equal((await verify('i1', { 'src/t2': 'red\n' })).verdict, 'unverified')
})

test('a command that hides its exit status behind a pipe is held to what its tests say', async (t) => {
  const { bench, verify } = await setSession(t, [`${TAP} | tee log`])
  assert.equal((await verify('i1', { 'src/t1': 'green\n' })).verdict, 'passed')
  const worse = await verify('i2', { 'src/t2': 'red\n' })
  assert.deepEqual(
    [worse.verdict, worse.summary],
    ['failed', `${TAP} | tee log: passed, 1 test(s) newly broken (test 2)`],
  )
  assert.deepEqual(await feedbackOf(bench, 's1.i2.verify'), [[`${TAP} | tee log`, ['test 2']]])
  // It is to blame, and not what was red before.
  const other = await setSession(t, ['false', `${TAP} | tee log`])
  const { summary } = await other.verify('i1', { 'src/t2': 'red\n' })
  assert.equal(summary, `${TAP} | tee log: passed, 1 test(s) newly broken (test 2)`)
})

/** Writes what the suite says as JUnit, too. */
const JUNIT = `mkdir -p out; sh suite.sh > out/tap; status=$?
{ echo '<testsuite>'; sed -n 's|^ok . - \\(.*\\)|<testcase name="\\1"/>|p; s|^not ok . - \\(.*\\)|<testcase name="\\1"><failure/></testcase>|p' out/tap; echo '</testsuite>'; } > out/report.xml
exit $status`

test('reports of JUnit are read where the settings say, of the run itself only, and never through a link [S4-3]', async (t) => {
  const { bench, verify } = await setSession(t, [JUNIT], { reports: ['out/*.xml'] })
  assert.equal((await verify('i1', { 'src/t3': 'green\n' })).verdict, 'passed')
  assert.match((await verify('i2', { 'src/t2': 'red\n' })).summary, /1 test\(s\) newly broken \(test 2\)$/)
  assert.deepEqual((await feedbackOf(bench, 's1.i2.verify'))?.[0]?.[1], ['test 2'])
  // A report that lay there before, and one that is somebody else's file, tell nothing.
  const report = (folder: string) =>
    `mkdir -p ${folder} && echo '<testsuite><testcase name="test 2"/></testsuite>' > ${folder}/report.xml`
  const file = `mkdir -p out && ${report('..')} && ln -sf $PWD/../report.xml out/report.xml; exit 1`
  const folder = `${report('../elsewhere')} && rm -rf out && ln -s $PWD/../elsewhere out; exit 1`
  const linking = `grep -qs file src/new && { ${file}; }; grep -qs folder src/new && { ${folder}; }; ${JUNIT}`
  const other = await setSession(t, [linking], { reports: ['out/*.xml'] })
  // Else it would have been as before: nothing but `test 2` passed.
  assert.equal((await other.verify('i1', { 'src/new': 'file' })).verdict, 'failed')
  assert.equal((await other.verify('i2', { 'src/new': 'folder' })).verdict, 'failed')
  const early = await setSession(t, [`test -f src/new && exit 1; ${JUNIT}`], { reports: ['**/*.xml'] })
  assert.equal((await early.verify('i1', { 'src/new': 'x' })).verdict, 'failed')
})

test('a test that is named by where it lies is the same test in a fresh checkout', async (t) => {
  const named = `sh suite.sh | sed "s|- |- $PWD/|"; exit 1`
  const file = 's|^not ok . - \\(.*\\)|<testcase name="a" file="\'$PWD\'/\\1"><failure/></testcase>|p'
  const passing = 's|^ok . - \\(.*\\)|<testcase name="a" file="\'$PWD\'/\\1"/>|p'
  const junit = `{ echo '<testsuite>'; sh suite.sh | sed -n '${passing};${file}'; echo '</testsuite>'; } > report.xml; exit 1`
  for (const command of [named, junit]) {
    const { bench, base } = await setSession(t, [command], { reports: ['report.xml'] })
    await bench.fixed(SESSION, 'i1', { 'src/t1': 'green\n' }, 'A')
    const input = { head: base, selections: [{ snapshot: 'i1', codes: ['A'] }], codes: ['A'], iteration: 1 }
    const call = { sessionId: SESSION, stepId: 's1.fresh1', inFreshCheckout: true as const }
    const { verdict, summary } = await bench.run('verifyTree', { ...call, ...input })
    assert.equal(verdict, 'passed', summary)
  }
})

test('a command with a secret in it is compared like any other, and its secret is on no record', async (t) => {
  const secret = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
  const command = `TOKEN=${secret} sh -c '! grep -q red src/t2'`
  const { bench, base, verify } = await setSession(t, [command])
  const { verdict, summary } = await verify('i1', { 'src/t2': 'red\n' })
  assert.equal(verdict, 'failed')
  // It goes into Temporal's history.
  assert.ok(!summary.includes(secret), summary)
  const fine = await verify('i2', { 'src/t2': 'greener\n' })
  assert.equal(fine.verdict, 'passed')
  const input = { ...gateInput(SESSION, 's1.commit', base, 'i2'), iterations: {} }
  const outcome = await bench.run('commitStage', { ...input, tree: fine.tree, verified: 'passed', at: Date.now() })
  assert.ok(outcome.kind === 'committed')
  const message = bench.git(['log', '-1', '--format=%B', outcome.sha])
  assert.match(message, /^Fixwright-Verified: TOKEN=«secret:/m)
  assert.ok(!message.includes(secret))
})

test('the commit says what its verification was worth where nothing is green', async (t) => {
  const { bench, base, verify } = await setSession(t, [TAP])
  const { tree, verdict } = await verify('i1', { 'src/t1': 'green\n' })
  const input = { ...gateInput(SESSION, 's1.commit', base, 'i1'), iterations: {} }
  const outcome = await bench.run('commitStage', { ...input, tree, verified: verdict, at: Date.now() })
  assert.ok(outcome.kind === 'committed')
  const message = bench.git(['log', '-1', '--format=%B', outcome.sha])
  assert.match(message, /^Fixwright-Verified: sh suite\.sh \(no test newly broken\)$/m)
})
