// A fix that makes the tests milder, with real git and real commands: the checks run with what it changed of them as it was.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { loadSnapshot } from '../../../src/activities/fix/compose-tree.ts'
import { loadCheckEvidence } from '../../../src/activities/verify/baseline.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { GateInput } from '../../../src/domain/workflow-types/index.ts'
import { FIXWRIGHT_IDENTITY } from '../../../src/platform/git/git.ts'
import { commitTree } from '../../../src/platform/git/workspace/commits.ts'
import { resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { S1, setBench, verifiedBy } from '../support.ts'

const WRONG = 'def f():\n    raise SystemExit(0)\n'
const RIGHT = 'def f():\n    return 2\n'
const SUITE = 'for each in tests/*.sh; do sh "$each" || exit 1; done'
const BASE = {
  'src/app.py': 'def f():\n    return 1\n',
  'tests/old.sh': 'grep -q return src/app.py\n',
  'check.sh': 'grep -q return src/app.py\n',
  Makefile: 'test:\n\tgrep -q return src/app.py\n',
  'package.json': JSON.stringify({ name: 'x', scripts: { test: 'node run.js' }, dependencies: {} }),
  'run.js': 'process.exit(require("fs").readFileSync("src/app.py", "utf8").includes("return") ? 0 : 1)\n',
  'src/__snapshots__/app.snap': 'return\n',
}

async function verifyFix(
  t: TestContext,
  files: Readonly<Record<string, string | undefined>>,
  commands: readonly string[],
  more: Partial<Settings['verification']> = {},
  base: Readonly<Record<string, string>> = {},
) {
  const bench = await setBench(t)
  bench.write({ ...BASE, ...base })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'a suite'])
  await bench.session(S1, { A: 'src/app.py' }, verifiedBy([...commands], more))
  const { base: head, rules } = await bench.run('openSession', { sessionId: S1 })
  assert.equal(rules.verifiesOldTests, true)
  await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head })
  await bench.fixed(S1, 'fix1', files, 'A')
  const input: GateInput = {
    sessionId: S1,
    stepId: 's1.oldtests1',
    head,
    selections: [{ snapshot: 'fix1', codes: ['A'] }],
    codes: ['A'],
    iteration: 1,
  }
  const verified = await bench.run('verifyTree', { ...input, stepId: 's1.i1.verify' })
  const outcome = await bench.run('verifyOldTests', input)
  return { bench, input, verified, outcome }
}

for (const { what, files, commands } of [
  { what: 'a loosened test', files: { 'tests/old.sh': 'true\n' }, commands: [SUITE] },
  { what: 'an emptied test', files: { 'tests/old.sh': '' }, commands: [SUITE] },
  {
    what: 'a renamed test',
    files: { 'tests/old.sh': undefined, 'tests/old.txt': 'grep -q return src/app.py\n' },
    commands: ['for each in tests/*.sh; do if test -f "$each"; then sh "$each" || exit 1; fi; done'],
  },
  { what: 'a script that a command names', files: { 'check.sh': 'exit 0\n' }, commands: ['sh ./check.sh'] },
  { what: 'a Makefile', files: { Makefile: 'test:\n\ttrue\n' }, commands: ['make -s test'] },
  {
    what: 'a package script',
    files: { 'package.json': BASE['package.json'].replace('node run.js', 'exit 0') },
    commands: ['npm test --silent'],
  },
  { what: 'what a package script runs', files: { 'run.js': '\n' }, commands: ['npm test --silent'] },
  {
    what: 'a snapshot',
    files: { 'src/__snapshots__/app.snap': 'SystemExit\n' },
    commands: ['grep -q -f src/__snapshots__/app.snap src/app.py'],
  },
]) {
  test(`verifyOldTests refutes a wrong fix that passes by ${what}`, async (t) => {
    const { verified, outcome } = await verifyFix(t, { 'src/app.py': WRONG, ...files }, commands)
    assert.deepEqual([verified.verdict, outcome.verdict], ['passed', 'refuted'])
    assert.match(outcome.summary, /exit status/)
  })
}

test('verifyOldTests asks a person about exactly the changed tests, and remembers a yes by path', async (t) => {
  const { bench, input, outcome } = await verifyFix(t, { 'src/app.py': WRONG, 'tests/old.sh': 'true\n' }, [SUITE])
  assert.equal(outcome.verdict, 'refuted')
  const asked = await bench.run('prepareScopeRequest', { sessionId: S1, stepId: input.stepId })
  assert.deepEqual(
    asked.files.map(({ path, codes }) => [path, codes]),
    [['tests/old.sh', ['A']]],
  )
  assert.match(asked.files[0]?.why ?? '', /as it was/)
  const by = { by: 'Ada', from: 'terminal', at: Date.now() }
  const decide = (decision: object) =>
    bench.run('applyScopeDecision', { sessionId: S1, stepId: input.stepId, decision, decidedBy: by } as never)
  assert.deepEqual(await decide({ decision: 'deadline' }), { barred: ['A'] })
  assert.deepEqual(await decide({ decision: 'approve', remember: 'session' }), { barred: [] })
  assert.equal((await bench.run('verifyOldTests', input)).verdict, 'held')
  assert.deepEqual(await bench.store.grants.listAllowedPaths('/elsewhere', S1), [])
})

test('a fix that only its changed tests pass is as unproven on another lane’s commit, where they do not run again', async (t) => {
  const files = { 'src/app.py': RIGHT, 'tests/old.sh': 'true\n' }
  const { bench, input } = await verifyFix(t, files, [SUITE], {}, { 'tests/old.sh': 'false\n' })
  const workspace = bench.workspace(S1)
  const session = await loadSession(bench.shop, S1)
  const evidence = (onto: string, tree: string) =>
    loadCheckEvidence(bench.shop, session, { stepId: 's1.commit', onto, tree })
  const alone = await evidence(input.head, (await loadSnapshot(workspace, 'fix1')).tree)
  await resetWorkTree(workspace, input.head)
  const tree = await bench.fixed(S1, 'theirs', { 'README.md': 'theirs\n' }, 'A')
  const theirs = { tree, parent: input.head, message: 'theirs', author: FIXWRIGHT_IDENTITY, at: new Date() }
  const onto = await commitTree(workspace, theirs)
  const lane = { number: 2, of: 2 }
  const merge = { ...input, stepId: 's1.merge1', onto, at: Date.now(), lane }
  const merged = await bench.run('mergeStage', merge)
  assert.ok(merged.kind === 'clean' && merged.isSameDiff)
  const selections = [{ snapshot: merge.stepId, codes: ['A'] }]
  await bench.run('verifyTree', { ...input, stepId: 's1.merge1.verify', head: onto, selections, lane })
  assert.match(alone.unproven ?? '', /passes only with the tests that the fix changed/)
  assert.deepEqual(await evidence(onto, merged.work.tree), alone)
})

test('verifyOldTests runs nothing where a fix only adds tests, or changes none', async (t) => {
  for (const files of [{ 'src/app.py': RIGHT }, { 'src/app.py': RIGHT, 'tests/new.sh': 'grep -q 2 src/app.py\n' }]) {
    const { bench, outcome } = await verifyFix(t, files, [SUITE])
    assert.equal(outcome.verdict, 'held')
    const told = (await bench.store.events.listAfter(S1)).filter(({ message }) =>
      /as before the fix/.test(message ?? ''),
    )
    assert.deepEqual(told, [])
  }
})

test('verifyOldTests lets a right fix pass that updates tests and a dependency', async (t) => {
  const manifest = BASE['package.json'].replace('"dependencies":{}', '"dependencies":{"y":"1"}')
  const files = { 'src/app.py': RIGHT, 'tests/old.sh': 'grep -q "return 2" src/app.py\n', 'package.json': manifest }
  const { bench, outcome } = await verifyFix(t, files, [SUITE, 'grep -q dependencies package.json'])
  assert.equal(outcome.verdict, 'held')
  const told = (await bench.store.events.listAfter(S1)).map(({ message }) => message ?? '')
  assert.ok(
    told.some((message) => /with tests\/old\.sh as before the fix: what held still holds/.test(message)),
    told.join('\n'),
  )
})

test('verifyOldTests leaves the decision to the setting', async (t) => {
  for (const [test_changes, verdict, rejected] of [
    ['allow', 'held', undefined],
    ['reject', 'refuted', ['A']],
  ] as const) {
    const wrong = { 'src/app.py': WRONG, 'tests/old.sh': 'true\n' }
    const { outcome } = await verifyFix(t, wrong, [SUITE], { test_changes })
    assert.deepEqual([outcome.verdict, outcome.rejected], [verdict, rejected])
  }
})

test('verifyOldTests asks about a changed test that is nobody’s, as every issue’s', async (t) => {
  const bench = await setBench(t)
  bench.write(BASE)
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'a suite'])
  await bench.session(S1, { A: 'src/app.py' }, verifiedBy([SUITE]))
  const { base: head } = await bench.run('openSession', { sessionId: S1 })
  await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head })
  // The snapshot is taken as it is where all of its owners are the selection's, so it may hold what has none.
  const { tree } = bench.workspace(S1)
  bench.write({ 'tests/old.sh': 'true\n' }, tree)
  await bench.fixed(S1, 'fix1', { 'src/app.py': WRONG }, 'A')
  const step = { sessionId: S1, stepId: 's1.oldtests1', head, codes: ['A'], iteration: 1 }
  const outcome = await bench.run('verifyOldTests', { ...step, selections: [{ snapshot: 'fix1', codes: ['A'] }] })
  const { files } = await bench.run('prepareScopeRequest', { sessionId: S1, stepId: step.stepId })
  assert.deepEqual(
    [outcome.verdict, files.map(({ path, codes }) => [path, codes])],
    ['refuted', [['tests/old.sh', ['A']]]],
  )
})

test('verifyOldTests asks a person about a change of tests alone where no challenger can say why', async (t) => {
  const bench = await setBench(t)
  bench.write(BASE)
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'a suite'])
  await bench.session(S1, { A: 'src/app.py' }, { ...verifiedBy([SUITE]), profile: 'verify' })
  const { base: head } = await bench.run('openSession', { sessionId: S1 })
  await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head })
  await bench.fixed(S1, 'fix1', { 'tests/new.sh': 'true\n' }, 'A')
  const step = { sessionId: S1, stepId: 's1.oldtests1', head, codes: ['A'], iteration: 1 }
  const outcome = await bench.run('verifyOldTests', { ...step, selections: [{ snapshot: 'fix1', codes: ['A'] }] })
  assert.deepEqual([outcome.verdict, outcome.summary], ['refuted', 'the change for A: touches nothing but tests'])
  const { files } = await bench.run('prepareScopeRequest', { sessionId: S1, stepId: step.stepId })
  assert.deepEqual(files, [{ path: 'tests/new.sh', why: 'the change touches nothing but tests', codes: ['A'] }])
  const told = (await bench.store.events.listAfter(S1)).map(({ message }) => message ?? '')
  assert.ok(told.includes('the change for A: touches nothing but tests'), told.join('\n'))
})

test('verifyOldTests asks only about the tests of the fix that needs them milder, and not about a neighbour’s', async (t) => {
  const bench = await setBench(t)
  bench.write({ ...BASE, 'src/b.py': 'B = 1\n', 'tests/b.sh': 'grep -q B src/b.py\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'a suite'])
  await bench.session(S1, { A: 'src/app.py', B: 'src/b.py' }, verifiedBy([SUITE]))
  const { base: head } = await bench.run('openSession', { sessionId: S1 })
  await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head })
  const files = {
    ...{ 'src/app.py': WRONG, 'tests/old.sh': 'true\n' },
    ...{ 'src/b.py': 'B = 2\n', 'tests/b.sh': 'grep -q "B = 2" src/b.py\n', 'tests/new.sh': 'true\n' },
  }
  await bench.fixed(S1, 'fix1', files, 'A', { 'src/b.py': 'B', 'tests/b.sh': 'B', 'tests/new.sh': 'B' })
  const step = { sessionId: S1, stepId: 's1.oldtests1', head, codes: ['A', 'B'], iteration: 1 }
  const selections = [{ snapshot: 'fix1', codes: ['A', 'B'] }]
  await bench.run('verifyTree', { ...step, stepId: 's1.i1.verify', selections })
  const outcome = await bench.run('verifyOldTests', { ...step, selections })
  const asked = await bench.run('prepareScopeRequest', { sessionId: S1, stepId: step.stepId })
  assert.deepEqual(
    [outcome.verdict, asked.files.map(({ path, codes }) => [path, codes])],
    ['refuted', [['tests/old.sh', ['A']]]],
  )
})
