// Verified where nothing but the tree lies: what an agent left behind decides nothing there, nothing of the place stays, and what is
// committed is by its hash what was verified.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MockActivityEnvironment } from '@temporalio/testing'
import { loadSession } from '../../../src/activities/context.ts'
import { storeGateRecord } from '../../../src/activities/gate-records.ts'
import { createSessionActivities } from '../../../src/activities/index.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { GateInput } from '../../../src/domain/workflow-types/index.ts'
import { readBranchHead } from '../../../src/platform/git/repository/branches.ts'
import { AT } from '../../platform/git/support.ts'
import { until } from '../../support/until.ts'
import { type Bench, QUIET, setBench, verifiedBy } from '../support.ts'

/** No other test's: what carries its name in its marker is ended when that is closed. */
const SESSION = `s-${randomUUID()}`

const FILES = { A: 'src/app.py', B: 'src/lib/util.py' }

async function setSession(t: TestContext, commands: readonly string[], more: Partial<Settings['verification']> = {}) {
  const bench = await setBench(t)
  await bench.session(SESSION, FILES, verifiedBy(commands, more))
  const { base, rules } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const asked = (call: string, snapshot = 'fix1', codes = ['A']): GateInput => {
    const fresh = call.includes('fresh') ? { inFreshCheckout: true as const } : {}
    return {
      sessionId: SESSION,
      stepId: call,
      head: base,
      selections: [{ snapshot, codes }],
      codes,
      iteration: 1,
      ...fresh,
    }
  }
  const verify = (call: string, snapshot?: string, codes?: string[]) =>
    bench.run('verifyTree', asked(call, snapshot, codes))
  return { bench, base, rules, asked, verify }
}

function leftIn(bench: Bench): string[] {
  const folder = join(bench.workspace(SESSION).directory, 'checkouts')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('an ignored file that an agent left behind lets nothing pass, and no by-product of an earlier run fails anything [S4-1]', async (t) => {
  const needs = 'test ! -f src/new.py || test -f node_modules/helper || { echo "no helper" >&2; false; }'
  // The second one stumbles over its own by-product in the session's tree, where it stays.
  const { bench, rules, verify } = await setSession(t, [needs, 'mkdir made && touch made/x'])
  assert.equal(rules.verifiesFreshCheckout, true)
  bench.write({ 'node_modules/helper': 'x' }, bench.workspace(SESSION).tree)
  await bench.fixed(SESSION, 'fix1', { 'src/new.py': 'x' }, 'A')
  const { verdict, summary, inFreshCheckout } = await verify('s1.i1.verify')
  assert.deepEqual([verdict, summary, inFreshCheckout], ['failed', `${needs}: failed: exit status 1`, true])
  assert.deepEqual(leftIn(bench), [])
  const told = (await bench.store.events.listAfter(SESSION)).filter(
    (event) => event.type === 'fix_verification_started',
  )
  assert.deepEqual(
    told.slice(1).map(({ type, message }) => [type, message.slice(0, 30)]),
    [
      ['fix_verification_started', 'test ! -f src/new.py || test -'],
      ['fix_verification_started', 'in a fresh checkout: test ! -f'],
    ],
  )
  rmSync(join(bench.workspace(SESSION).tree, 'src/new.py'))
  await bench.fixed(SESSION, 'fix2', { 'src/app.py': 'x = 1\n' }, 'A')
  const good = await verify('s1.i2.verify', 'fix2')
  assert.deepEqual([good.verdict, good.inFreshCheckout], ['passed', true])
  assert.deepEqual(await verify('s1.i2.verify', 'fix2'), good, 'also when it is asked again')
})

test('where parts are tried out, what is told of each says which issues are in it', async (t) => {
  const { bench, verify } = await setSession(t, ['! grep -q bad src/app.py'])
  await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'bad\n', 'src/lib/util.py': 'y\n' }, 'A')
  await verify('s1.select1.verify', 'fix1', ['A', 'B'])
  const events = (await bench.store.events.listAfter(SESSION)).filter(({ type }) => type !== 'fix_log')
  const told = events.slice(-2).map(({ message }) => message)
  assert.deepEqual(told, [
    'only A, B, in a fresh checkout: ! grep -q bad src/app.py',
    'only A, B, in a fresh checkout: failed · ! grep -q bad src/app.py: failed: exit status 1',
  ])
})

test('a successor of a worker that was killed after the session’s tree had failed asks the fresh checkout', async (t) => {
  const { bench, base, verify } = await setSession(t, ['mkdir made'])
  const tree = await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  const verification = [{ command: 'mkdir made', outcome: 'failed: exit status 1' }]
  await storeGateRecord(bench.shop, await loadSession(bench.shop, SESSION), 's1.i1.verify', { tree, verification })
  assert.notEqual(tree, base)
  assert.equal((await verify('s1.i1.verify')).verdict, 'passed')
})

test('each command sees the tree that would be committed, whatever the one before it made of its files, and the record says so', async (t) => {
  const rewrites = 'mkdir -p built && touch built/x && sed -i s/bad/good/ src/new.py README.md 2>/dev/null; true'
  const { bench, verify } = await setSession(t, [rewrites, 'test -f built/x && ! grep -q bad src/new.py'], {
    fresh_checkout: false,
  })
  await bench.fixed(SESSION, 'fix1', { 'src/new.py': 'bad\n' }, 'A')
  for (const call of ['s1.i1.verify', 's1.fresh1']) assert.equal((await verify(call)).verdict, 'failed', call)
  const told = (await bench.store.events.listAfter(SESSION)).filter((event) => event.type === 'fix_verification_result')
  const runs = told.map(({ data }) => data.runs.map(({ rewrote }) => rewrote))
  assert.deepEqual(runs.slice(1), [
    [['src/new.py'], undefined],
    [['src/new.py'], undefined],
  ])
  assert.match(told.at(-1)?.message ?? '', / · changed by mkdir -p .* 2>\/dev\/null; true, and put back: src\/new\.py$/)
})

test('where the checks leave nothing behind, each tree is in a fresh checkout from the start: nothing could be made before', async (t) => {
  const { bench, asked, verify } = await setSession(t, ['test ! -f src/new.py || test -f node_modules/helper'])
  bench.write({ 'node_modules/helper': 'x' }, bench.workspace(SESSION).tree)
  await bench.fixed(SESSION, 'fix1', { 'src/new.py': 'x' }, 'A')
  const first = await verify('s1.i1.verify')
  assert.deepEqual([first.verdict, first.inFreshCheckout], ['failed', true])
  assert.deepEqual(await bench.run('verifyTree', asked('s1.i1.verify')), first, 'also when it is asked again')
})

test('what a command says of files there names them where the fixer finds them, whole in its own words on record', async (t) => {
  const { bench, verify } = await setSession(t, [
    'said="$PWD/src/app.py:1: bad"; echo "$said"; echo "$said" >&2; false',
  ])
  await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  await verify('s1.i1.verify')
  const read = async (kind: 'verdict' | 'verification', name: string) => {
    const [kept] = await bench.store.artifacts.listForSession(SESSION, { kind, name })
    return await bench.shop.artifacts.getText(kept?.ref ?? '')
  }
  const [run] = JSON.parse(await read('verdict', 's1.i1.verify')).verification
  const said = `${join(bench.workspace(SESSION).tree, 'src/app.py')}:1: bad`
  assert.deepEqual([run.output, run.errors], [said, said])
  assert.match(
    await read('verification', 's1.i1.verify.1.stdout'),
    /checkouts\/s1\.i1\.verify\/tree\/src\/app\.py:1: bad/,
  )
})

const FIRST_IN_THE_TREE: Readonly<Record<string, Parameters<typeof verifiedBy>>> = {
  'something ignored left of the base': [['mkdir -p node_modules && touch node_modules/x']],
  'something new left of the base': [['touch made']],
  'a setup': [['true'], { setup: ['true'] }],
  'no wish for a fresh checkout': [['true'], { fresh_checkout: false }],
}
for (const [what, verification] of Object.entries(FIRST_IN_THE_TREE)) {
  test(`where there is ${what}, a tree is verified where it was made first`, async (t) => {
    const { bench, verify } = await setSession(t, ...verification)
    await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
    assert.equal((await verify('s1.i1.verify')).inFreshCheckout, undefined)
  })
}

test('it is set up by itself, and what asks git there finds the same as in the session’s tree', async (t) => {
  const bench = await setBench(t)
  const out = join(bench.home, 'out')
  const asks = `{ pwd; git status --porcelain; git rev-parse HEAD; git log -1 --format=%s; git rev-parse --abbrev-ref HEAD; } > ${out}`
  await bench.session(
    SESSION,
    FILES,
    verifiedBy(['test -f node_modules/x', asks], {
      setup: ['mkdir -p node_modules; date >> node_modules/x; echo y > README.md'],
    }),
  )
  const { base, branch } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const said = () => readFileSync(out, 'utf8').trim().split('\n')
  const [own, ...inTree] = said()
  const input = {
    sessionId: SESSION,
    stepId: 's1.fresh1',
    head: base,
    selections: [],
    codes: [],
    iteration: 1,
    inFreshCheckout: true as const,
  }
  assert.equal((await bench.run('verifyTree', input)).verdict, 'passed')
  const [other, ...inCheckout] = said()
  assert.notEqual(own, other)
  assert.deepEqual(inCheckout, [base, 'first', branch])
  assert.deepEqual(inCheckout, inTree)
  assert.equal(
    readFileSync(join(bench.workspace(SESSION).tree, 'node_modules/x'), 'utf8')
      .trim()
      .split('\n').length,
    1,
  )
})

test('a setup that fails there once is tried again; one that fails twice, and not without the fix, is a failed verification', async (t) => {
  const bench = await setBench(t)
  const count = join(bench.home, 'count')
  const nth = (...bad: number[]) => `echo x >> ${count}; case $(wc -l < ${count}) in ${bad.join('|')}) exit 9;; esac`
  await bench.session(SESSION, FILES, verifiedBy(['true'], { setup: [nth(2, 4, 5, 7, 8, 9)] }))
  const { base } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const fresh = (call: string) =>
    bench.run('verifyTree', {
      sessionId: SESSION,
      stepId: call,
      head: base,
      selections: [],
      codes: [],
      iteration: 1,
      inFreshCheckout: true,
    })
  assert.equal((await fresh('s1.fresh1')).verdict, 'passed')
  assert.equal((await fresh('s2.fresh1')).verdict, 'failed')
  // Then a registry is down, say: that is nobody's fault, and after it the same step says how it is.
  await assert.rejects(fresh('s2.fresh2'), /^ApplicationFailure: setup "echo x .* on what the fix stands on, too$/)
  assert.equal((await fresh('s2.fresh2')).verdict, 'passed')
  assert.deepEqual(leftIn(bench), [])
})

test('a successor removes what a killed worker left of it, and does not run again what was done', async (t) => {
  const { bench, verify } = await setSession(t, ['test ! -e stale'])
  await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  const left = join(bench.workspace(SESSION).directory, 'checkouts/s1.fresh1/tree')
  mkdirSync(left, { recursive: true })
  writeFileSync(join(left, 'stale'), 'x')
  const first = await verify('s1.fresh1')
  assert.equal(first.verdict, 'passed')
  const events = async () => (await bench.store.events.listAfter(SESSION)).length
  const [before, artifacts] = [await events(), (await bench.store.artifacts.listForSession(SESSION)).length]
  assert.deepEqual(await verify('s1.fresh1'), first)
  assert.deepEqual([await events(), (await bench.store.artifacts.listForSession(SESSION)).length], [before, artifacts])
  assert.deepEqual(leftIn(bench), [])
  mkdirSync(left, { recursive: true })
  await bench.run('closeSession', { sessionId: SESSION, outcomes: {}, at: 1 })
  assert.deepEqual(
    readdirSync(bench.shop.sessionsFolder).filter((name) => !name.startsWith('.')),
    [],
  )
})

test('a link in its place leads nowhere', async (t) => {
  const { bench, verify } = await setSession(t, ['touch made'])
  await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  const outside = join(bench.home, 'outside')
  mkdirSync(join(outside, 's1.fresh1/precious'), { recursive: true })
  rmSync(join(bench.workspace(SESSION).directory, 'checkouts'), { recursive: true, force: true })
  symlinkSync(outside, join(bench.workspace(SESSION).directory, 'checkouts'))
  assert.equal((await verify('s1.fresh1')).verdict, 'passed')
  assert.deepEqual(readdirSync(join(outside, 's1.fresh1')), ['precious'])
})

test('cancelled in the middle of it, nothing of it stays', async (t) => {
  const { bench, asked } = await setSession(t, ['test ! -f src/new.py || { touch $PWD/../../../../begun; sleep 300; }'])
  await bench.fixed(SESSION, 'fix1', { 'src/new.py': 'x' }, 'A')
  const environment = new MockActivityEnvironment({}, { logger: QUIET })
  const running = environment.run(createSessionActivities(bench.shop).verifyTree, asked('s1.fresh1'))
  await until('it runs', () => existsSync(join(bench.workspace(SESSION).directory, '../begun')))
  environment.cancel()
  await assert.rejects(running)
  assert.deepEqual(leftIn(bench), [])
})

test('invariant 4: the tree of the commit is the tree that was verified last, also when parts were taken back [S4-3]', async (t) => {
  for (const codes of [['A', 'B'], ['B']]) {
    const { bench, base, asked, verify } = await setSession(t, ['test -f src/app.py'])
    const { write, workspace } = bench
    write({ 'src/app.py': 'x = 1\n', 'src/lib/util.py': 'y = 1\n', 'src/new.py': 'new' }, workspace(SESSION).tree)
    const owners = { 'src/app.py': 'A', 'src/lib/util.py': 'B', 'src/new.py': 'B' }
    const whole = await bench.fixed(SESSION, 'fix1', {}, 'A', owners)
    const inTree = await verify('s1.select1.verify', 'fix1', codes)
    const last = await verify('s1.fresh1', 'fix1', codes)
    assert.equal(inTree.tree, last.tree)
    const input = {
      ...asked('s1.commit', 'fix1', codes),
      tree: last.tree,
      verified: last.verdict,
      at: AT.getTime(),
      iterations: {},
    }
    const outcome = await bench.run('commitStage', input)
    assert.ok(outcome.kind === 'committed')
    assert.deepEqual(outcome.codes, codes)
    const [record] = await bench.store.artifacts.listForSession(SESSION, { kind: 'verdict', name: 's1.fresh1' })
    const { tree, inFreshCheckout } = JSON.parse(await bench.shop.artifacts.getText(record?.ref ?? ''))
    assert.equal(inFreshCheckout, true)
    assert.equal(bench.git(['rev-parse', `${outcome.sha}^{tree}`]), tree)
    assert.equal(tree === whole, codes.length === 2, 'a partial one is another tree')
    const changed = bench.git(['diff', '--name-only', base, outcome.sha]).split('\n')
    assert.deepEqual(
      changed,
      Object.entries(owners).flatMap(([path, owner]) => (codes.includes(owner) ? [path] : [])),
    )
  }
})

test('invariant 4: a tree other than the one that was verified is not committed [S4-3]', async (t) => {
  const { bench, base, asked, verify } = await setSession(t, ['test -f src/app.py'])
  await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  await bench.fixed(SESSION, 'fix2', { 'src/app.py': 'x = 2\n' }, 'A')
  const { tree, verdict } = await verify('s1.fresh1', 'fix1')
  const input = { ...asked('s1.commit', 'fix2'), tree, verified: verdict, at: AT.getTime(), iterations: {} }
  await assert.rejects(bench.run('commitStage', input), /but the gates saw [0-9a-f]{40}: nothing was committed/)
  const workspace = bench.workspace(SESSION)
  assert.equal(await readBranchHead(workspace.repository, workspace.branch), undefined)
  assert.equal(bench.git(['rev-parse', 'HEAD']), base)
})

test('what failed in the fresh checkout is not called verified by the commit, though it passed before', async (t) => {
  const flaky = 'test ! -f src/new.py || test -f node_modules/x'
  const { bench, asked, verify } = await setSession(t, ['touch made', flaky])
  bench.write({ 'node_modules/x': '' }, bench.workspace(SESSION).tree)
  const tree = await bench.fixed(SESSION, 'fix1', { 'src/new.py': 'x' }, 'A')
  assert.equal((await verify('s1.i1.verify')).verdict, 'passed')
  await verify('s1.fresh1')
  const input = { ...asked('s1.commit'), tree, verified: 'passed' as const, at: AT.getTime(), iterations: {} }
  const outcome = await bench.run('commitStage', input)
  assert.ok(outcome.kind === 'committed')
  assert.match(bench.git(['log', '-1', '--format=%B', outcome.sha]), /^Fixwright-Verified: touch made$/m)
})

test('without one, too, it is the tree in question that is verified, and not what the last call left', async (t) => {
  const { bench, verify } = await setSession(t, ['test ! -f src/new.py'], { fresh_checkout: false })
  const owners = { 'src/new.py': 'A', 'src/lib/util.py': 'B' }
  await bench.fixed(SESSION, 'fix1', { 'src/new.py': 'x', 'src/lib/util.py': 'y = 1\n' }, 'A', owners)
  bench.write({ 'src/new.py': 'x' }, bench.workspace(SESSION).tree)
  assert.equal((await verify('s1.select1.verify', 'fix1', ['B'])).verdict, 'passed')
  assert.equal((await verify('s1.i1.verify', 'fix1', ['A', 'B'])).verdict, 'failed')
})

test('a tree that a step of the stage has judged in a fresh checkout is not run again', async (t) => {
  const count = join(tmpdir(), `runs-${SESSION}`)
  t.after(() => rmSync(count, { force: true }))
  const { bench, verify } = await setSession(t, [`printf x >> ${count}`])
  for (const name of ['fix1', 'fix2']) await bench.fixed(SESSION, name, { 'src/app.py': 'x = 1\n' }, 'A')
  const runs = async (call: string, snapshot: string) => {
    assert.equal((await verify(call, snapshot)).verdict, 'passed')
    return readFileSync(count, 'utf8').length
  }
  const first = await runs('s1.i1.verify', 'fix1')
  assert.equal(await runs('s1.i2.verify', 'fix2'), first)
  assert.equal(await runs('s2.i1.verify', 'fix2'), first + 1, 'each stage stands on a commit of its own')
})
