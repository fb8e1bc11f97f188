// Issues that share a file are separated by its parts: what becomes a tree when some of them are taken, and from where.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { composeTree, parseSnapshot, toFixWork } from '../../../src/activities/fix/compose-tree.ts'
import { assignChanges } from '../../../src/activities/fix/take-snapshot.ts'
import type { Selection } from '../../../src/domain/stage/attempt.ts'
import type { SnapshotMetadata } from '../../../src/domain/stage/snapshot-metadata.ts'
import type { FixInput } from '../../../src/domain/workflow-types/index.ts'
import { createSnapshot, resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT } from '../../platform/git/support.ts'
import { batchOf } from '../plan/support.ts'
import { type Bench, S1, setBench } from '../support.ts'

const FILE = 'src/shop.py'
/** Bytes that are no UTF-8, and Windows line ends, have to survive. */
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}${index === 20 ? '\r' : ''}\n`)

async function setShop(t: TestContext): Promise<Bench> {
  const bench = await setBench(t)
  bench.write({ [FILE]: LINES.join('') })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'a shop'])
  await bench.session(S1, { A: FILE, B: FILE, C: 'src/app.py' })
  await bench.run('openSession', { sessionId: S1 })
  return bench
}

const text = (changes: Readonly<Record<number, string>>): string =>
  LINES.map((line, index) => changes[index + 1] ?? line).join('')

/** What a fixer's call leaves from that tree, with its claims, as the activity records it. */
async function fix(
  bench: Bench,
  name: string,
  files: Readonly<Record<string, string>>,
  claims: Readonly<Record<string, readonly string[]>>,
  start: readonly Selection[] = [],
) {
  const session = await loadSession(bench.shop, S1)
  const workspace = bench.workspace(S1)
  const from = await composeTree(workspace, workspace.base, start)
  await resetWorkTree(workspace, from.tree)
  bench.write(files, workspace.tree)
  const codes = Object.keys(claims)
  const input: FixInput = {
    sessionId: S1,
    stepId: name,
    head: workspace.base,
    stage: 1,
    batch: batchOf(codes),
    iteration: 1,
    codes,
    start,
    feedbackStepIds: [],
  }
  const replies = codes.map((code) => ({
    issue_code: code,
    status: 'fixed' as const,
    file_modified: [...(claims[code] ?? [])],
    changes_summary: '',
  }))
  const message = async (tree: string) => {
    const { owners, parts } = await assignChanges(session, workspace, { input, start: from, claims: replies, tree })
    const metadata: SnapshotMetadata = { owners, parts, claims: {}, outOfScope: [], violations: [], notes: [] }
    return JSON.stringify(metadata)
  }
  const taken = parseSnapshot(await createSnapshot(workspace, { name, parent: workspace.base, at: AT, message }))
  return toFixWork(name, codes, taken)
}

async function compose(bench: Bench, selections: readonly Selection[]) {
  const workspace = bench.workspace(S1)
  const { tree, owners, lost } = await composeTree(workspace, workspace.base, selections)
  return { owners, lost, text: bench.git(['--git-dir', workspace.gitDir, 'show', `${tree}:${FILE}`]) }
}

test('composed trees: issues that change different places of one file are no longer one group, and each part can be taken alone', async (t) => {
  const bench = await setShop(t)
  const work = await fix(
    bench,
    's1.i1.b1.fix',
    { [FILE]: text({ 3: 'three\nmore\n', 30: 'thirty\n' }), 'src/app.py': 'x\n' },
    { A: [`${FILE}:3-4`], B: [`${FILE}:31`], C: ['src/app.py'] },
  )
  assert.deepEqual([work.owners, Object.values(work.issues).map(({ files }) => files)], [[], [1, 1, 1]])
  const of = (...codes: string[]) => compose(bench, [{ snapshot: 's1.i1.b1.fix', codes }])
  assert.equal((await of('A')).text, text({ 3: 'three\nmore\n' }).trim())
  assert.equal((await of('B', 'C')).text, text({ 30: 'thirty\n' }).trim())
  assert.equal((await of('C')).text, LINES.join('').trim())
  const all = await of('A', 'B', 'C')
  assert.deepEqual([all.text, all.owners[FILE]], [text({ 3: 'three\nmore\n', 30: 'thirty\n' }).trim(), ['A', 'B']])
})

test('composed trees: the part of one attempt goes with that of another, and what is there already keeps its owner', async (t) => {
  const bench = await setShop(t)
  const claims = { A: [`${FILE}:3`], B: [`${FILE}:30`] }
  await fix(bench, 's1.i1.b1.fix', { [FILE]: text({ 3: 'three\n', 30: 'bad\n' }) }, claims)
  const start = [{ snapshot: 's1.i1.b1.fix', codes: ['A', 'B'] }]
  const again = await fix(bench, 's1.i2.b1.fix', { [FILE]: text({ 3: 'three\n', 30: 'good\n' }) }, { B: [FILE] }, start)
  assert.deepEqual(again.owners, [])
  const picks = (...codes: readonly [string, string][]) =>
    codes.map(([snapshot, code]) => ({ snapshot, codes: [code] }))
  const both = await compose(bench, picks(['s1.i1.b1.fix', 'A'], ['s1.i2.b1.fix', 'B']))
  assert.deepEqual([both.text, both.lost], [text({ 3: 'three\n', 30: 'good\n' }).trim(), []])
  assert.equal((await compose(bench, picks(['s1.i2.b1.fix', 'B']))).text, text({ 30: 'good\n' }).trim())
})

test('composed trees: fixes of the same lines from two attempts can not be put together, and no gate passes them', async (t) => {
  const bench = await setShop(t)
  await fix(
    bench,
    's1.i1.b1.fix',
    { [FILE]: text({ 3: 'three\n', 30: 'thirty\n' }) },
    { A: [`${FILE}:3`], B: [`${FILE}:30`] },
  )
  await fix(bench, 's1.i2.b1.fix', { [FILE]: text({ 3: 'drei\n' }) }, { B: [FILE] })
  const selections = [
    { snapshot: 's1.i1.b1.fix', codes: ['A'] },
    { snapshot: 's1.i2.b1.fix', codes: ['B'] },
  ]
  assert.deepEqual((await compose(bench, selections)).lost, ['A'])
  const { base } = bench.workspace(S1)
  const gate = { sessionId: S1, head: base, selections, codes: ['A', 'B'], iteration: 2 }
  const verified = await bench.run('verifyTree', { ...gate, stepId: 's1.select1.verify' })
  assert.deepEqual([verified.verdict, /^A: other fixes change the same lines/.test(verified.summary)], ['failed', true])
  const commit = {
    ...gate,
    stepId: 's1.commit',
    tree: verified.tree,
    verified: 'passed',
    at: 0,
    iterations: {},
  } as const
  await assert.rejects(bench.run('commitStage', commit), /changes of A are not all in the tree/)
})
