// The setup of a workspace: when it is run, what stays of it, and whose fault it is when it fails.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ApplicationFailure } from '@temporalio/common'
import { timeoutsFromSettings } from '../../../src/activities/open/timeouts.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { isSetupInput } from '../../../src/domain/verification/setup-inputs.ts'
import { resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { type Bench, DEFAULTS, gateInput, setBench, verifiedBy } from '../support.ts'

/** No other test's: what carries its name in its marker is ended when that is closed. */
const SESSION = `s-${randomUUID()}`

/** Says how often it was run, outside of the tree; makes something ignored, something untracked, and touches a file of the repository. */
function setupIn(bench: Bench): string {
  const times = join(bench.home, 'times')
  return `echo run >> ${times}; mkdir -p node_modules vendor; cat package-lock.json > node_modules/made; echo v > vendor/made; echo x >> README.md`
}

function timesRun(bench: Bench): number {
  const file = join(bench.home, 'times')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0
}

const NEEDS = 'test -f node_modules/made && test -f vendor/made && test "$(cat README.md)" = hello'

async function setSession(
  t: Parameters<typeof setBench>[0],
  setup: (bench: Bench) => string[],
  commands = [NEEDS],
  more: Partial<Settings['verification']> = {},
) {
  const bench = await setBench(t)
  bench.write({ 'package-lock.json': 'one\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'lock'])
  await bench.session(SESSION, { A: 'src/app.py' }, verifiedBy(commands, { setup: setup(bench), ...more }))
  const { base } = await bench.run('openSession', { sessionId: SESSION })
  const verifyBase = () => bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const verify = (call: string, name: string) => {
    return bench.run('verifyTree', gateInput(SESSION, call, base, name))
  }
  const warnings = async () => {
    const logged = (await bench.store.events.listAfter(SESSION)).filter((event) => event.type === 'fix_log')
    return logged.filter(({ data }) => data.level !== 'note').map(({ message }) => message)
  }
  const told = async () => (await bench.store.events.listAfter(SESSION)).map(({ message }) => message).join('\n')
  return { bench, base, verifyBase, verify, told, warnings }
}

test('where there are several commands each is told as it ends, in passing, also in the fresh checkout', async (t) => {
  const { bench, verifyBase, verify, told, warnings } = await setSession(t, (at) => [setupIn(at)], [
    'true',
    'test -f src/app.py',
  ])
  await verifyBase()
  assert.match(await told(), /^check 1 of 2 · true: passed$\n^check 2 of 2 · test -f src\/app.py: passed$/m)
  const { tree } = bench.workspace(SESSION)
  rmSync(join(tree, 'src/app.py'))
  await bench.fixed(SESSION, 'fix1', {}, 'A', { 'src/app.py': 'A' })
  await verify('s1.i1.verify', 'fix1')
  assert.equal((await told()).match(/^check 2 of 2 · test -f src\/app.py: failed: exit status 1$/gm)?.length, 2)
  assert.deepEqual(await warnings(), [])
})

test('the setup is run once for a workspace, what it makes stays through every reset and is in no fix, and what it changes is taken back [S4-1]', async (t) => {
  const { bench, base, verifyBase, verify } = await setSession(t, (at) => [setupIn(at)])
  assert.equal((await verifyBase()).verdict, 'passed')
  const workspace = bench.workspace(SESSION)
  await resetWorkTree(workspace, base)
  assert.ok(existsSync(join(workspace.tree, 'vendor/made')), 'the fixer finds it')
  const tree = await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  assert.equal((await verify('s1.i1.verify', 'fix1')).verdict, 'passed')
  const changed = bench.git(['-C', workspace.gitDir, 'diff-tree', '-r', '--name-only', base, tree])
  assert.equal(changed, 'src/app.py')
  assert.equal(timesRun(bench), 1)
})

test('where a lockfile changed it is run again, and for the old one again [S4-1]', async (t) => {
  const { bench, base, verifyBase, verify, told, warnings } = await setSession(t, (at) => [setupIn(at)])
  await verifyBase()
  await bench.fixed(SESSION, 'fix1', { 'package-lock.json': 'two\n' }, 'A')
  assert.equal((await verify('s1.i1.verify', 'fix1')).verdict, 'passed')
  assert.equal(readFileSync(join(bench.workspace(SESSION).tree, 'node_modules/made'), 'utf8'), 'two\n')
  assert.equal(timesRun(bench), 2)
  assert.match(await told(), /^setting up: echo run/m)
  assert.deepEqual(await warnings(), [])
  assert.match(await told(), /^setting up again, for package-lock\.json: echo run/m)
  await resetWorkTree(bench.workspace(SESSION), base)
  await bench.fixed(SESSION, 'fix2', { 'src/app.py': 'x = 1\n' }, 'A')
  assert.equal((await verify('s1.i2.verify', 'fix2')).verdict, 'passed')
  assert.equal(timesRun(bench), 3)
})

test('what it made and an agent took away is made again', async (t) => {
  const { bench, verifyBase, verify, told } = await setSession(t, (at) => [setupIn(at)])
  await verifyBase()
  rmSync(join(bench.workspace(SESSION).tree, 'node_modules'), { recursive: true })
  await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  assert.equal((await verify('s1.i1.verify', 'fix1')).verdict, 'passed')
  assert.equal(timesRun(bench), 2)
  assert.match(await told(), /^setting up again, for node_modules\/ \(gone\): echo run/m)
})

test('a setup that leaves no work tree has failed: checks would miss what it made [S4-15]', async (t) => {
  const { verifyBase } = await setSession(t, () => ['rm -rf "$PWD"'])
  await assert.rejects(verifyBase(), /setup "rm -rf .* failed: it removed the work tree on the untouched base$/)
})

test('a setup that fails on the untouched base ends the session, and says which command said what [S4-15]', async (t) => {
  const failing = 'echo fetching; echo "ERR! no such package" >&2; exit 7'
  const { bench, verifyBase, told, warnings } = await setSession(t, () => ['true', failing, 'touch never'])
  const error = await verifyBase().catch((reason: ApplicationFailure) => reason)
  assert.ok(error instanceof ApplicationFailure && error.nonRetryable)
  assert.match(
    error.message,
    /^setup "echo fetching.*failed: exit status 7 on the untouched base: ERR! no such package · standard output: fetching$/,
  )
  assert.ok(error.message.length < 300, 'all of it is in the history')
  assert.match(await told(), /the setup failed: echo fetching/)
  assert.match((await warnings()).join(), /^the setup failed: echo fetching[^,]*$/)
  assert.equal(existsSync(join(bench.workspace(SESSION).tree, 'never')), false)
})

test('of a setup that failed its first words are told and its last ones: npm says what is wrong at first [S4-15]', async (t) => {
  const npm = ['code EUSAGE', 'only with a lockfile', 'x'.repeat(300), 'A complete log is in /somewhere']
  const failing = `printf 'npm error %s\\n' ${npm.map((line) => `"${line}"`).join(' ')} >&2; exit 1`
  const { verifyBase } = await setSession(t, () => [failing])
  await assert.rejects(
    verifyBase(),
    /: npm error code EUSAGE \/ npm error only with a lockfile \/ .* … .* \/ npm error A complete log is in \/somewhere$/,
  )
})

test('of a setup that failed both streams are told, as a terminal shows them: the reason may stand on either [S4-15]', async (t) => {
  const reason = '\\033[31mno matching distribution\\033[0m'
  const failing = `echo 'notice: a newer version' >&2; printf 'one%%\\rtwo%%\\r${reason}\\n'; exit 1`
  const { verifyBase } = await setSession(t, () => [failing])
  await assert.rejects(verifyBase(), /base: notice: a newer version · standard output: no matching distribution$/)
  const alone = await setSession(t, () => [failing.replace(/^.*?; /, '')])
  await assert.rejects(alone.verifyBase(), /base: no matching distribution$/)
})

test('one that fails only for the lockfile of a fix is a failed verification of that tree [S4-15]', async (t) => {
  const { bench, verifyBase, verify } = await setSession(t, () => ['grep -q one package-lock.json'], ['true'])
  await verifyBase()
  await bench.fixed(SESSION, 'fix1', { 'package-lock.json': 'two\n' }, 'A')
  const outcome = await verify('s1.i1.verify', 'fix1')
  assert.deepEqual(
    [outcome.verdict, outcome.summary],
    ['failed', 'grep -q one package-lock.json: failed: exit status 1'],
  )
  // Whoever comes after does not find it done.
  const again = await verify('s1.i2.verify', 'fix1')
  assert.equal(again.verdict, 'failed')
})

const WITHOUT_FRESH_CHECKOUTS: Readonly<Record<string, string>> = {
  'needs what it made with the network that it had':
    'test -f node_modules/made || { mkdir node_modules && mv $NET node_modules/made; }',
  'fails where it was run before': 'mkdir node_modules && touch node_modules/made',
}
for (const [what, makes] of Object.entries(WITHOUT_FRESH_CHECKOUTS)) {
  test(`where nobody wants fresh checkouts, one that ${what} fails the fix alone whose lockfile it refuses`, async (t) => {
    const setup = (at: Bench) => ['grep -q one package-lock.json', makes.replace('$NET', join(at.home, 'net'))]
    const { bench, verifyBase, verify } = await setSession(t, setup, ['true'], { fresh_checkout: false })
    bench.write({ net: 'x' }, bench.home)
    await verifyBase()
    await bench.fixed(SESSION, 'fix1', { 'package-lock.json': 'two\n' }, 'A')
    const { verdict, summary } = await verify('s1.i1.verify', 'fix1')
    assert.deepEqual([verdict, summary], ['failed', 'grep -q one package-lock.json: failed: exit status 1'])
  })
}

test('a setup of which a worker died before it was done is run again', async (t) => {
  const { bench, verifyBase } = await setSession(t, (at) => [
    setupIn(at),
    `test -f ${at.home}/second || { touch ${at.home}/second; kill -9 $$; }`,
  ])
  await assert.rejects(verifyBase(), /ended by SIGKILL|exit status 137/)
  assert.equal((await verifyBase()).verdict, 'passed')
  assert.equal(timesRun(bench), 2)
})

test('lockfiles are those among the protected paths, wherever they lie; manifests count, too', () => {
  const globs = [...DEFAULTS.scope.protected, ...DEFAULTS.scope.protected_unless_about]
  for (const path of [
    'package-lock.json',
    'web/yarn.lock',
    'a/b/go.sum',
    'uv.lock',
    'bun.lockb',
    'x/gradle.lockfile',
  ]) {
    assert.ok(isSetupInput(path, globs), path)
    assert.ok(!isSetupInput(path, []), `${path}: nobody says so`)
  }
  for (const path of ['package.json', 'web/pyproject.toml', 'requirements-dev.txt'])
    assert.ok(isSetupInput(path, []), path)
  for (const path of ['CLAUDE.md', 'src/lock.py', '.github/workflows/lock.yml', 'lefthook.yml', 'package.json.ts'])
    assert.ok(!isSetupInput(path, globs) || path.startsWith('.github'), path)
})

test('the time of a verification holds all that one verdict may take: five runs of its commands, and in each its setup three times', () => {
  const more = { setup: ['a', 'b'], setup_timeout_seconds: 100 }
  const [without, having] = [{}, more].map(
    (each) => timeoutsFromSettings({ ...DEFAULTS, ...verifiedBy(['x'], each) }).verifySeconds,
  )
  assert.ok((without ?? 0) >= 5 * 20)
  assert.ok((having ?? 0) - (without ?? 0) >= 5 * 3 * 200)
})
