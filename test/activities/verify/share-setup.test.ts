// A setup is run once, on the untouched base; fresh checkouts take a copy of what it made then.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { S1, setBench, verifiedBy } from '../support.ts'

const VENV = 'python3 -m venv --without-pip .venv'
/** The environment names its own folder. */
const CHECK =
  '. .venv/bin/activate && test "$VIRTUAL_ENV" = "$PWD/.venv" && .venv/bin/python -B src/app.py && test ! -e .venv/planted'

async function setSession(t: TestContext, more: Partial<Settings['verification']> = {}) {
  const { commands = [CHECK] } = more
  const bench = await setBench(t)
  bench.write({ 'requirements.txt': '\n', '.gitignore': '.venv/\nbuilt\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'requirements'])
  await bench.session(S1, { A: 'src/app.py' }, verifiedBy(commands, { setup: [VENV], ...more }))
  const { base } = await bench.run('openSession', { sessionId: S1 })
  await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head: base })
  const workspace = bench.workspace(S1)
  const verify = async (files: Readonly<Record<string, string>>, call = 'i1') => {
    await bench.fixed(S1, call, files, 'A')
    const selections = [{ snapshot: call, codes: ['A'] }]
    const step = { sessionId: S1, stepId: `s1.${call}.verify`, head: base, codes: ['A'], iteration: 1 }
    return await bench.run('verifyTree', { ...step, selections })
  }
  const told = async () => (await bench.store.events.listAfter(S1)).map(({ message }) => message ?? '')
  const setups = async () => (await told()).filter((message) => message.startsWith('setting up')).length
  return { bench, base, workspace, verify, told, setups }
}

test('a fresh checkout takes a copy of the setup, in the place that it was made for, and nothing of the agent’s', async (t) => {
  const { workspace, verify, told, setups } = await setSession(t)
  // Ignored files that an agent left behind.
  writeFileSync(join(workspace.tree, '.venv', 'planted'), '')
  writeFileSync(join(workspace.tree, 'built'), 'by an agent')
  const outcome = await verify({ 'src/app.py': 'print(1)\n' })
  assert.deepEqual([outcome.verdict, outcome.inFreshCheckout], ['passed', true], outcome.summary)
  assert.equal(await setups(), 1)
  assert.ok((await told()).some((message) => /^checked in .*, with a copy of the setup in /.test(message)))
  assert.equal(readFileSync(join(workspace.tree, 'built'), 'utf8'), 'by an agent', 'the work tree is back')
})

test('a fix that changes what the setup depends on gets a setup of its own', async (t) => {
  const { verify, setups } = await setSession(t)
  await verify({ 'requirements.txt': '# none\n' })
  assert.ok((await setups()) > 1)
})

test('a copy that was changed since is not used', async (t) => {
  const { workspace, verify, setups } = await setSession(t)
  const activate = join(workspace.directory, 'prepared', '.venv', 'bin', 'activate')
  writeFileSync(activate, readFileSync(activate))
  assert.equal((await verify({ 'src/app.py': 'print(1)\n' })).verdict, 'passed')
  assert.equal(await setups(), 2)
})

test('a check that can’t start with a copy is run again with a setup', async (t) => {
  const { workspace, verify, setups, told } = await setSession(t, { commands: ['.venv/bin/python -B src/app.py'] })
  const record = join(workspace.directory, 'shared-setup.json')
  writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), paths: [] }))
  const outcome = await verify({ 'src/app.py': 'print(1)\n' })
  assert.equal(outcome.verdict, 'passed', outcome.summary)
  assert.equal(await setups(), 2)
  assert.ok((await told()).some((message) => /could not start with a copy/.test(message)))
})

test('a setup that may depend on sources, or by the setting, is run for each checkout', async (t) => {
  for (const more of [{ setup: [`${VENV} && cp src/app.py .venv/`] }, { share_setup: 'never' as const }]) {
    const { verify, setups, workspace } = await setSession(t, more)
    assert.equal(existsSync(join(workspace.directory, 'prepared')), false)
    await verify({ 'src/app.py': 'print(1)\n' })
    assert.equal(await setups(), 1, 'the clone is asked first')
  }
})

test('a worker that died with the work tree set aside has a successor that puts it back', async (t) => {
  const { base, workspace, verify } = await setSession(t)
  writeFileSync(join(workspace.tree, 'built'), 'by an agent')
  renameSync(workspace.tree, join(workspace.directory, 'aside'))
  await resetWorkTree(workspace, base)
  assert.equal(readFileSync(join(workspace.tree, 'built'), 'utf8'), 'by an agent')
  assert.equal((await verify({ 'src/app.py': 'print(1)\n' })).verdict, 'passed')
})
