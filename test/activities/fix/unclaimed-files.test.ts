// Files that a call changed and that none of its issues claims: each goes where it tells of, and what tells nothing holds nobody back.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { composeTree, loadSnapshot } from '../../../src/activities/fix/compose-tree.ts'
import { CODES, setCallBench } from '../scope/support.ts'

const CLAIMS = { A: ['src/a.ts'], B: ['src/b.ts'] }

function write(files: Readonly<Record<string, string>>): (tree: string) => void {
  return (tree) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true })
      writeFileSync(join(tree, path), text)
    }
  }
}

test('a file that nobody claims binds no issues: each is kept without it, and all together with it', async (t) => {
  const bench = await setCallBench(t)
  const work = await bench.fix('fix', write({ 'setup.cfg': 'x\n', 'test/b.test.ts': 'b\n' }), CLAIMS)
  assert.deepEqual(work.owners, [])
  const workspace = bench.workspace('s1')
  const { owners, unclaimed } = (await loadSnapshot(workspace, 'fix')).metadata
  assert.deepEqual([owners['setup.cfg'], owners['test/b.test.ts'], unclaimed], [CODES, ['B'], ['setup.cfg']])
  const taken = async (codes: readonly string[]) =>
    Object.keys((await composeTree(workspace, workspace.base, [{ snapshot: 'fix', codes }])).owners).sort()
  assert.deepEqual(await taken(['A']), ['src/a.ts'])
  assert.deepEqual(await taken(['B']), ['src/b.ts', 'test/b.test.ts'])
  assert.deepEqual(await taken(CODES), ['setup.cfg', 'src/a.ts', 'src/b.ts', 'test/b.test.ts'])
})

test('a file that nobody claimed belongs to the issue of a later call that does', async (t) => {
  const bench = await setCallBench(t)
  await bench.fix('fix', write({ 'setup.cfg': 'x\n' }), CLAIMS)
  const start = [{ snapshot: 'fix', codes: CODES }]
  const workspace = bench.workspace('s1')
  const metadata = async (step: string, text: string, claims: Readonly<Record<string, readonly string[]>>) => {
    const input = { ...(await bench.left(step, write({ 'setup.cfg': text }), claims)), start }
    await bench.run('fixBatch', input)
    return (await loadSnapshot(workspace, step)).metadata
  }
  const untouched = await metadata('same', 'x\n', CLAIMS)
  assert.deepEqual([untouched.owners['setup.cfg'], untouched.unclaimed], [CODES, ['setup.cfg']])
  const changed = await metadata('changed', 'y\n', CLAIMS)
  assert.deepEqual([changed.owners['setup.cfg'], changed.unclaimed], [CODES, ['setup.cfg']])
  const claimed = await metadata('claimed', 'z\n', { ...CLAIMS, B: ['src/b.ts', 'setup.cfg'] })
  assert.deepEqual([claimed.owners['setup.cfg'], claimed.unclaimed], [['B'], undefined])
})

test('an issue whose change is in no file that anybody claims owns the unclaimed one', async (t) => {
  const bench = await setCallBench(t)
  const work = await bench.fix('fix', write({ 'src/b.ts': 'b\n', 'setup.cfg': 'x\n' }), { A: ['src/a.ts'] })
  const { metadata } = await loadSnapshot(bench.workspace('s1'), 'fix')
  assert.deepEqual([metadata.owners['setup.cfg'], metadata.unclaimed], [['B'], undefined])
  assert.deepEqual(work.owners, [])
})

test('an unclaimed file does not go to an issue that the fixer did not fix', async (t) => {
  const bench = await setCallBench(t)
  const more = write({ 'src/b.ts': 'b\n', 'setup.cfg': 'x\n' })
  await bench.fix('fix', more, { A: ['src/a.ts'] }, { B: 'blocked' })
  const { metadata } = await loadSnapshot(bench.workspace('s1'), 'fix')
  assert.deepEqual([metadata.owners['setup.cfg'], metadata.unclaimed], [CODES, ['setup.cfg']])
})

test('a file in which an issue claims more than it changed binds it to nobody', async (t) => {
  const bench = await setCallBench(t)
  const work = await bench.fix('fix', () => undefined, { A: ['src/a.ts:1'], B: ['src/a.ts,src/b.ts'] })
  assert.deepEqual(work.owners, [])
  const { owners, parts } = (await loadSnapshot(bench.workspace('s1'), 'fix')).metadata
  assert.deepEqual([owners['src/a.ts'], owners['src/b.ts'], parts], [['A'], ['B'], undefined])
})

test('a file that nobody claims binds its owners once only some of them go another round, whether it changed again or not', async (t) => {
  const bench = await setCallBench(t)
  await bench.fix('fix', write({ 'setup.cfg': 'x\n' }), CLAIMS)
  const workspace = bench.workspace('s1')
  for (const [step, text] of [
    ['same', 'x\n'],
    ['changed', 'y\n'],
  ] as const) {
    const left = await bench.left(step, write({ 'src/b.ts': 'better\n', 'setup.cfg': text }), { B: ['src/b.ts'] })
    const start = [{ snapshot: 'fix', codes: CODES }]
    const { work } = await bench.run('fixBatch', { ...left, start, codes: ['B'] })
    assert.deepEqual(work.owners, [CODES], step)
    const taken = await composeTree(workspace, workspace.base, [{ snapshot: step, codes: CODES }])
    assert.deepEqual([taken.tree, taken.owners['setup.cfg'], taken.unclaimed], [work.tree, CODES, []])
  }
})
