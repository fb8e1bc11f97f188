// What is told of a fix beside what it fixes: checks that it silences, files that no finding names, issues that it only claims to fix.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SnapshotMetadata } from '../../../src/domain/stage/snapshot-metadata.ts'
import { GateRecord } from '../../../src/domain/verification/gate-record.ts'
import { createSnapshot } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT } from '../../platform/git/support.ts'
import { blocksIn, fixInput, setTalk } from '../plan/support.ts'
import { S1, setBench } from '../support.ts'

const FILES = { A: 'src/app.py', B: 'src/lib/util.py' }

test('what silences a check is told, judged by the challenger, and stands in the commit [S4-14, S4-17]', async (t) => {
  const bench = await setTalk(t, { issues: { A: {} } })
  const [id] = bench.ids
  bench.write({ 'tests/test_app.py': 'def test_f():\n    assert f() == 1\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'a test'])
  const opened = await bench.opened(id, FILES)
  const changed = {
    'src/app.py': 'def f():  # noqa\n    return 2\n',
    'tests/test_app.py': '@skip\ndef test_f():\n    f()\n',
  }
  const tree = await bench.fixed(id, 's1.i1.b1.fix', changed, 'A')
  const silenced = [
    { file: 'tests/test_app.py', line: 1, kind: 'skipped_test', text: '@skip' },
    { file: 'src/app.py', line: 1, kind: 'suppression', text: 'def f():  # noqa' },
  ]
  const order = <T extends { readonly file: string }>(all: readonly T[]) =>
    all.toSorted((a, b) => a.file.localeCompare(b.file))

  await bench.run('fixBatch', fixInput(id, opened, ['A', 'B']))
  const [told, ...others] = await bench.events(id, 'fix_checks_silenced')
  assert.deepEqual(others, [])
  assert.match(told?.message ?? '', /src\/app\.py:1 tells a check to look away/)
  assert.deepEqual(told?.data.codes, ['A'])
  assert.deepEqual(order(told?.data.silenced ?? []), order(silenced))

  const picks = [{ snapshot: 's1.i1.b1.fix', codes: ['A'] }]
  const input = { sessionId: id, head: opened.base, selections: picks, codes: ['A'], iteration: 1 }
  await bench.run('challengeTree', { ...input, stepId: 's1.i1.challenge', earlierStepIds: [] })
  const prompt = await bench.artifact(id, 'prompt', 's1.i1.challenge')
  assert.deepEqual(order(JSON.parse(blocksIn(prompt).get('silenced') ?? '')), order(silenced))
  assert.match(prompt, /may silence a check instead of satisfying it.* judge each one/)
  for (const name of ['s1.i1.b1.fix', 's1.i1.challenge']) {
    const [kept] = await bench.store.artifacts.listForSession(id, { kind: 'verdict', name })
    const record = GateRecord.parse(JSON.parse(await bench.shop.artifacts.getText(kept?.ref ?? '')))
    assert.deepEqual([record.tree, order(record.silenced ?? [])], [tree, order(silenced)], name)
  }

  const commit = {
    ...input,
    stepId: 's1.commit',
    tree,
    verified: 'passed',
    at: Date.now(),
    iterations: { A: 1 },
  } as const
  const outcome = await bench.run('commitStage', commit)
  assert.equal(outcome.kind, 'committed')
  const [line = ''] =
    /^Fixwright-Silenced: .*$/m.exec(bench.git(['log', '-1', '--format=%B', opened.branch ?? ''])) ?? []
  assert.match(line, /tests\/test_app\.py:1 leaves tests out/)
  assert.match(line, /src\/app\.py:1 tells a check to look away/)
})

test('files that no finding names are noted, in the event and in the result; so is what is called fixed without a change [S4-14, S4-15, S2-19]', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, FILES)
  const opened = await bench.run('openSession', { sessionId: S1 })
  const at = bench.workspace(S1)
  bench.write({ 'src/app.py': 'def f():\n    return 2\n', 'src/helper.py': 'HELP = 1\n' }, at.tree)
  const claim = (issue_code: string) => ({ issue_code, status: 'fixed', changes_summary: 'mended' }) as const
  const note: SnapshotMetadata = {
    owners: { 'src/app.py': ['A'], 'src/helper.py': ['A'] },
    claims: { A: claim('A'), B: claim('B') },
    outOfScope: [],
    violations: [],
    notes: [],
  }
  const name = 's1.i1.b1.fix'
  const { tree } = await createSnapshot(at, { name, parent: at.base, at: AT, message: JSON.stringify(note) })

  const { work } = await bench.run('fixBatch', fixInput(S1, opened, ['A', 'B']))
  assert.equal(work.issues.B?.message, 'no changes applied (fixed: mended)')
  const done = (await bench.store.events.listAfter(S1)).find((event) => event.type === 'fix_batch_completed')
  assert.match(done?.message ?? '', /no finding names src\/helper\.py; B: called fixed, and no changes applied$/)
  assert.deepEqual([done?.data.outside, done?.data.unchanged], [['src/helper.py'], ['B']])

  const picks = [{ snapshot: name, codes: ['A'] }]
  const input = {
    sessionId: S1,
    head: opened.base,
    selections: picks,
    codes: ['A'],
    iteration: 1,
    iterations: { A: 1 },
  }
  await bench.run('commitStage', { ...input, stepId: 's1.commit', tree, verified: 'passed', at: Date.now() })
  const results = (await bench.store.sessions.listIssues(S1)).map(({ outcome }) => outcome)
  assert.deepEqual(results[0]?.fix_files_modified, ['src/app.py', 'src/helper.py'])
  assert.deepEqual(results[0].fix_files_outside, ['src/helper.py'])
  assert.match(bench.git(['show', '--stat', opened.branch ?? '']), /src\/helper\.py/, 'a new file is part of the diff')
})
