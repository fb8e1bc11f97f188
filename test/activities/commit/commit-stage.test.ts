import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { SnapshotMetadata } from '../../../src/domain/stage/snapshot-metadata.ts'
import type { CommitInput } from '../../../src/domain/workflow-types/index.ts'
import { createSnapshot } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT } from '../../platform/git/support.ts'
import { insertSession } from '../../support/store.ts'
import { type Bench, DEFAULTS, setBench } from '../support.ts'

const GIT = { ...DEFAULTS.git, author_name: 'Ada', author_email: 'ada@example.org' }

/** Issues C and A have files of their own, B and D share one. */
const FILES = { C: 'src/c.py', A: 'src/a.py', B: 'src/b.py', D: 'src/b.py' }
const OWNERS = { 'src/c.py': ['C'], 'src/a.py': ['A'], 'src/b.py': ['B', 'D'] }
const SUMMARIES = { C: 'Closed the file at the end.', A: 'Rejects an empty name', B: 'Added a lock.', D: 'Fixed it' }

async function ready(bench: Bench, id: string, git: Partial<Settings['git']> = {}): Promise<CommitInput> {
  await bench.session(id, FILES, { git: { ...GIT, ...git } })
  const { base } = await bench.run('openSession', { sessionId: id })
  const at = bench.workspace(id)
  bench.write({ 'src/c.py': 'c = 1\n', 'src/a.py': 'a = 1\n', 'src/b.py': 'b = 1\n' }, at.tree)
  const claims = Object.fromEntries(
    Object.entries(SUMMARIES).map(([issue_code, changes_summary]) => [
      issue_code,
      { issue_code, status: 'fixed' as const, changes_summary },
    ]),
  )
  const note: SnapshotMetadata = { owners: OWNERS, claims, outOfScope: [], violations: [], notes: [] }
  const { tree } = await createSnapshot(at, { name: 'fix', parent: at.base, at: AT, message: JSON.stringify(note) })
  // In the plan's order, which is not that of the request.
  const codes = ['A', 'B', 'C', 'D']
  return {
    sessionId: id,
    stepId: 's1.commit',
    head: base,
    selections: [{ snapshot: 'fix', codes }],
    codes,
    iteration: 1,
    iterations: { A: 1, B: 1, C: 1, D: 1 },
    tree,
    verified: 'unverified',
    at: AT.getTime(),
  }
}

async function committed(bench: Bench, input: CommitInput) {
  const outcome = await bench.run('commitStage', input)
  assert.ok(outcome.kind === 'committed', outcome.kind)
  const branch = (await bench.store.sessions.get(input.sessionId))?.branch_name ?? ''
  const shas = bench.git(['rev-list', '--reverse', `main..${branch}`]).split('\n')
  return {
    outcome,
    branch,
    shas,
    subjects: bench.git(['log', '--reverse', '--format=%s', `main..${branch}`]).split('\n'),
  }
}

test('commitStage makes one commit for each group of issues that share no file, in the order of the plan', async (t) => {
  const bench = await setBench(t)
  const input = await ready(bench, 's1')
  const { outcome, shas, subjects } = await committed(bench, input)
  assert.deepEqual(subjects, ['fix: reject an empty name', 'fix: 2 issues in b.py', 'fix: close the file at the end'])
  const parts = [['A'], ['B', 'D'], ['C']].map((codes, at) => ({ sha: shas[at], codes }))
  assert.deepEqual(outcome, { kind: 'committed', sha: shas[2], codes: ['A', 'B', 'C', 'D'], commits: parts })
  assert.equal(bench.git(['rev-parse', `${outcome.sha}^{tree}`]), input.tree, 'the last commit is the tree that passed')
  const filesOf = (sha = '') => bench.git(['show', '--format=', '--name-only', sha])
  assert.deepEqual(shas.map(filesOf), ['src/a.py', 'src/b.py', 'src/c.py'])
  assert.match(
    bench.git(['log', '-1', '--format=%B', shas[0]!]),
    new RegExp(`^Fixwright-Train: 1 of 3, judged as tree ${input.tree}$`, 'm'),
  )

  await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: AT.getTime() })
  const { result } = (await bench.store.sessions.get('s1'))!
  assert.deepEqual(
    result?.commits.map(({ sha, issue_codes, train }) => [sha, issue_codes, train?.place]),
    [
      [shas[0], ['A'], 1],
      [shas[1], ['B', 'D'], 2],
      [shas[2], ['C'], 3],
    ],
  )
  const own = result?.results.find(({ issue_code }) => issue_code === 'C')
  assert.deepEqual([own?.commit_sha, own?.fix_files_modified], [shas[2], ['src/c.py']])
  assert.match(own?.fix_code ?? '', /c = 1/)
  assert.doesNotMatch(own?.fix_code ?? '', /a = 1/)
})

test('commitStage leaves one commit for each stage of a train, each on top of the one before, where a batch is a commit', async (t) => {
  const bench = await setBench(t)
  const input = await ready(bench, 's1', { commits: 'batch' })
  const cars = [['C'], ['A'], ['B', 'D']]
  const { outcome, shas } = await committed(bench, { ...input, codes: cars.flat(), cars })
  const parts = cars.map((codes, at) => ({ sha: shas[at], codes }))
  assert.deepEqual(outcome, { kind: 'committed', sha: shas[2], codes: cars.flat(), commits: parts })
  const filesOf = (sha = '') => bench.git(['show', '--format=', '--name-only', sha])
  assert.deepEqual(shas.map(filesOf), ['src/c.py', 'src/a.py', 'src/b.py'])
  assert.equal(bench.git(['rev-parse', `${outcome.sha}^{tree}`]), input.tree)
})

test('commitStage commits issues of one file apart, where each changed another place of it', async (t) => {
  const bench = await setBench(t)
  const file = 'src/lib/util.py'
  await bench.session('s1', { A: file, B: file }, { git: GIT })
  const { base } = await bench.run('openSession', { sessionId: 's1' })
  const at = bench.workspace('s1')
  const lines = bench.git(['show', `HEAD:${file}`]).split('\n')
  bench.write({ [file]: lines.with(1, 'by A').with(15, 'by B').join('\n').concat('\n') }, at.tree)
  const part = (code: string, line: number) => ({ codes: [code], start: line, count: 1, newStart: line, newCount: 1 })
  const owners = { [file]: ['A', 'B'] }
  const parts = { [file]: [part('A', 1), part('B', 15)] }
  const note: SnapshotMetadata = { owners, parts, claims: {}, outOfScope: [], violations: [], notes: [] }
  const { tree } = await createSnapshot(at, { name: 'fix', parent: at.base, at: AT, message: JSON.stringify(note) })
  const codes = ['B', 'A']
  const { shas } = await committed(bench, {
    sessionId: 's1',
    stepId: 's1.commit',
    head: base,
    selections: [{ snapshot: 'fix', codes }],
    codes,
    iteration: 1,
    iterations: {},
    tree,
    verified: 'unverified',
    at: AT.getTime(),
  })
  const added = shas.map((sha) => bench.git(['show', '--format=', sha]).match(/^\+[^+].*$/gm))
  assert.deepEqual(added, [['+by B'], ['+by A']])
  const results = await bench.store.sessions.listIssues('s1')
  assert.deepEqual(
    results.map(({ outcome }) => [outcome?.commit_sha, outcome?.fix_code?.match(/^\+[^+].*$/gm)]),
    [
      [shas[1], ['+by A']],
      [shas[0], ['+by B']],
    ],
  )
})

test('commitStage goes on where a kill ended it: what is saved keeps its hash, and the branch moves once', async (t) => {
  const bench = await setBench(t)
  const input = await ready(bench, 's1')
  const first = await committed(bench, input)
  assert.deepEqual((await committed(bench, input)).shas, first.shas, 'again')
  // The worker died before it had saved the last commit, and the author has another name by now.
  bench.git(['branch', '-q', '-D', first.branch])
  bench.git(['--git-dir', bench.workspace('s1').gitDir, 'update-ref', '-d', 'refs/fixwright/s1.commit'])
  await bench.store.sessions.update('s1', { status: 'generating' })
  const again = await committed(bench, input)
  assert.deepEqual(again.shas.slice(0, 2), first.shas.slice(0, 2))
  assert.equal(bench.git(['rev-parse', `${again.outcome.sha}^{tree}`]), input.tree)
  assert.equal(bench.git(['reflog', 'show', '--format=%h', again.branch]).split('\n').length, 1)
})

test('commitStage makes one commit of a stage with git.commits batch, and in sessions from before that setting', async (t) => {
  const bench = await setBench(t)
  const { commits: _, trailers: __, ...old } = GIT
  for (const [id, git] of [
    ['s1', { ...GIT, commits: 'batch' }],
    ['s2', old],
  ] as const) {
    await bench.session(`${id}-x`, FILES)
    const input = await ready(bench, id, {
      ...git,
      ...(id === 's2' ? { commits: undefined, trailers: undefined } : {}),
    } as never)
    const { outcome, shas, subjects } = await committed(bench, input)
    assert.deepEqual(outcome, { kind: 'committed', sha: shas[0], codes: ['C', 'A', 'B', 'D'] })
    assert.deepEqual(subjects, ['fix: 4 issues in a.py, b.py and c.py'])
    const message = bench.git(['log', '-1', '--format=%B', outcome.sha])
    assert.match(message, /^Fixwright-Session: s/m)
    assert.doesNotMatch(message, /Fixwright-Train/)
    await bench.run('closeSession', { sessionId: id, outcomes: {}, at: AT.getTime() })
    bench.git(['branch', '-q', '-D', (await bench.store.sessions.get(id))?.branch_name ?? ''])
  }
})

test('commits without trailers are known by their hash, and after a rebase by their subject', async (t) => {
  const bench = await setBench(t)
  const input = await ready(bench, 's1', { trailers: 'none' })
  const { shas, branch } = await committed(bench, input)
  assert.doesNotMatch(bench.git(['log', '--format=%B', `main..${branch}`]), /Fixwright/)
  await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: AT.getTime() })
  const { result } = (await bench.store.sessions.get('s1'))!
  assert.deepEqual(
    result?.commits.map(({ sha, issue_codes }) => [sha, issue_codes]),
    [
      [shas[0], ['A']],
      [shas[1], ['B', 'D']],
      [shas[2], ['C']],
    ],
  )
  assert.deepEqual(
    result?.results.map(({ proven_by }) => proven_by),
    [[], [], [], []],
  )

  // Somebody rebases the branch onto other work, drops one commit, and deletes the branch that we made.
  bench.write({ 'other.txt': 'x' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'other work'])
  bench.git(['cherry-pick', shas[0]!, shas[2]!])
  bench.git(['branch', '-q', '-D', branch])
  const { started_at: _, updated_at: __, result: ___, ...record } = (await bench.store.sessions.get('s1'))!
  const issue_ids = (await bench.store.sessions.listIssues('s1')).map(({ issue }) => issue.issue_id)
  const next = { ...record, session_id: 's2', key: 'again', status: 'pending', issue_ids } as const
  await insertSession(bench.store, next)
  await bench.run('openSession', { sessionId: 's2' })
  const left = (await bench.store.sessions.listIssues('s2')).map(({ issue }) => [issue.issue_code, issue.status])
  assert.deepEqual(Object.fromEntries(left), { A: 'resolved', B: 'in_progress', C: 'resolved', D: 'in_progress' })
})
