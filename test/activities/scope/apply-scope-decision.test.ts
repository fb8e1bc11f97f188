// What a fixer's call changed outside of its scope, from the tree to a person's word and back. The calls of the agent are on
// record already, as after a death of the worker: what they did is written by hand, everything else is real.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { composeTree } from '../../../src/activities/fix/compose-tree.ts'
import { applyScopeDecision, prepareScopeRequest } from '../../../src/activities/scope/apply-scope-decision.ts'
import type { Selection } from '../../../src/domain/stage/attempt.ts'
import type {
  ApplyScopeDecisionInput,
  FixOutcome,
  ScopeRequestInput,
} from '../../../src/domain/workflow-types/index.ts'
import { runGitInProcess } from '../../../src/platform/git/execute.ts'
import { setGitRunner } from '../../../src/platform/git/git.ts'
import { commitTree } from '../../../src/platform/git/workspace/commits.ts'
import { resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT, AUTHOR } from '../../platform/git/support.ts'
import { type Bench, DEFAULTS, dyingShop, setBench } from '../support.ts'

const ISSUES = { A: 'packages/web/a.ts', B: 'packages/web/b.ts', C: 'packages/api/c.ts' }
const FILES = {
  'packages/web/a.ts': 'a\n',
  'packages/web/b.ts': 'b\n',
  'packages/api/c.ts': 'c\n',
  'packages/api/d.ts': 'd\n',
  'packages/shared/s.ts': 's\n',
}
const DECIDED = { by: 'ada', from: 'cli', at: AT.getTime() }

interface Work {
  readonly call: string
  readonly start?: readonly Selection[]
  readonly session?: string
  /** Path → text; undefined takes it away. */
  readonly files?: Readonly<Record<string, string | undefined>>
  /** Code → what it says it changed. */
  readonly claims?: Readonly<Record<string, readonly string[]>>
  readonly more?: (tree: string) => void
}

interface Scoped extends Bench {
  begin(id: string): Promise<void>
  /** A call of the fixer that did this. */
  fix(work: Work): Promise<FixOutcome['work']>
  ask(input: Partial<ScopeRequestInput> & { stepId: string }): ReturnType<typeof prepareScopeRequest>
  settle(input: Partial<ApplyScopeDecisionInput> & { stepId: string }): ReturnType<typeof applyScopeDecision>
}

async function setScoped(t: TestContext): Promise<Scoped> {
  const bench = await setBench(t)
  bench.write(FILES)
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'packages'])
  const fix = async ({ call, start = [], session = 's1', files = {}, claims = {}, more }: Work) => {
    const workspace = bench.workspace(session)
    const { tree } = await composeTree(workspace, workspace.base, start)
    await resetWorkTree(workspace, tree, { head: workspace.base })
    for (const [path, text] of Object.entries(files)) {
      const file = join(workspace.tree, path)
      mkdirSync(dirname(file), { recursive: true })
      if (text === undefined) rmSync(file)
      else writeFileSync(file, text)
    }
    more?.(workspace.tree)
    const codes = Object.keys(ISSUES)
    const results = codes.map((code) => ({ issue_code: code, status: 'fixed', file_modified: claims[code] ?? [] }))
    const { ref } = await bench.shop.artifacts.put(JSON.stringify({ results }))
    const claim = await bench.store.agentCalls.claim({ session_id: session, key: call, role: 'fixer', codes: [] })
    await bench.store.agentCalls.finish(claim.call, { reply_ref: ref })
    const batch = { kind: 'frontend', label: 'FE 1/1', workload: 9, steps: [codes] } as const
    const input = {
      sessionId: session,
      stepId: call,
      head: workspace.base,
      stage: 1,
      batch,
      iteration: 1,
      codes,
      start,
    }
    return (await bench.run('fixBatch', { ...input, feedbackStepIds: [] })).work
  }
  const scoped: Scoped = {
    ...bench,
    fix,
    async begin(id) {
      const { scope } = DEFAULTS
      // additions.test.ts has what a fix brings besides.
      const free = { decision: 'allow', limit: 0 } as const
      const additions = { ...scope.additions, new_files: free, links: free, unused_files: free }
      const settings = { scope: { ...scope, workspace_path: 'packages/web', allowed_extra_paths: ['docs'], additions } }
      await bench.session(id, ISSUES, settings)
      await bench.run('openSession', { sessionId: id })
    },
    ask: (input) => prepareScopeRequest(bench.shop, { sessionId: 's1', ...input }),
    settle: (input) =>
      applyScopeDecision(bench.shop, {
        sessionId: 's1',
        decision: { decision: 'approve', remember: 'once' },
        decidedBy: DECIDED,
        ...input,
      }),
  }
  await scoped.begin('s1')
  return scoped
}

/** How often git was asked for something from here on. */
/** How often git is asked for objects by their ids: one process answers many questions, so starts tell nothing. */
function countObjectReads(t: TestContext): () => number {
  const inputs: string[] = []
  const giveBack = setGitRunner(async (request, signal) => {
    if (request.args[0] === 'cat-file') inputs.push(String(request.input))
    return await runGitInProcess(request, signal)
  })
  t.after(giveBack)
  // A new commit's tree and parent are looked up together, as commit-tree does.
  const isOfCommit = (input: string): boolean => /^info \w+\ninfo \w+\n$/.test(input)
  return () => inputs.filter((input) => /^(info|contents) \w+\n/.test(input) && !isOfCommit(input)).length
}

const A_OUTSIDE = { 'packages/web/a.ts': 'A\n', 'packages/shared/s.ts': 'S\n' }
const CLAIMED = { A: ['packages/shared/s.ts'] }

describe('what a call changed outside of its scope', () => {
  test('is told with its reason and whose it is, and shown with its diff alone (S2-31)', async (t) => {
    const bench = await setScoped(t)
    const work = await bench.fix({
      call: 'fix',
      files: {
        ...A_OUTSIDE,
        'docs/x.md': 'x',
        '.editorconfig': 'e',
        'packages/webapp/x.ts': 'x',
        'packages/api/c.ts': 'C\n',
      },
      claims: {
        A: ['packages/shared/s.ts', '.editorconfig', 'packages/webapp/x.ts', 'docs/x.md'],
        B: ['.editorconfig'],
      },
    })
    assert.deepEqual([work.needsApproval, work.outOfScope, work.violations], [['A', 'B', 'C'], [], []])
    const { files, more } = await bench.ask({ stepId: 'fix' })
    assert.equal(more, 0)
    const why = 'outside the workspace'
    assert.deepEqual(files, [
      { path: '.editorconfig', why, codes: ['A', 'B'] },
      { path: 'packages/api/c.ts', why, codes: ['C'] },
      { path: 'packages/shared/s.ts', why, codes: ['A'] },
      { path: 'packages/webapp/x.ts', why, codes: ['A'] },
    ])
    const [tied] = await bench.store.artifacts.listForSession('s1', { kind: 'diff', name: 'fix.scope' })
    const diff = await bench.shop.artifacts.getText(tied?.ref ?? '')
    assert.deepEqual(
      [...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path),
      files.map(({ path }) => path),
    )
    const told = (await bench.store.events.listAfter('s1')).filter(({ type }) => type === 'fix_scope_violation')
    assert.equal(told.length, 1)
    assert.match(told[0]?.message ?? '', /packages\/shared\/s\.ts \(outside the workspace; A\)/)
    const { outside = [] } = (told[0]?.data ?? {}) as { outside?: unknown[] }
    assert.deepEqual(outside[0], { path: '.editorconfig', why, issue_codes: ['A', 'B'] })
  })

  test('asks nobody where it is what no person can let through, nor about what goes with it', async (t) => {
    const bench = await setScoped(t)
    const work = await bench.fix({
      call: 'fix',
      files: { ...A_OUTSIDE, 'packages/web/b.ts': 'B\n', 'packages/api/d.ts': 'D\n' },
      claims: { ...CLAIMED, B: ['packages/api/d.ts'], A: ['packages/shared/s.ts', 'packages/web/.husky/x'] },
      more: (tree) => {
        mkdirSync(join(tree, 'packages/web/.husky'))
        writeFileSync(join(tree, 'packages/web/.husky/x'), 'x')
      },
    })
    assert.deepEqual([work.outOfScope, work.needsApproval], [['A'], ['B']])
    assert.deepEqual(work.violations, ['packages/web/.husky/x (a hook)'])
    const { files } = await bench.ask({ stepId: 'fix' })
    assert.deepEqual(
      files.map(({ path }) => path),
      ['packages/api/d.ts'],
    )
  })

  test('is found behind renames and links (S2-31)', async (t) => {
    const bench = await setScoped(t)
    const work = await bench.fix({
      call: 'fix',
      more: (tree) => {
        renameSync(join(tree, 'packages/api/d.ts'), join(tree, 'packages/web/d.ts'))
        symlinkSync('../shared', join(tree, 'packages/web/lib'))
        symlinkSync('../../docs', join(tree, 'packages/web/docs'))
        symlinkSync('lib/s.ts', join(tree, 'packages/web/s.ts'))
      },
    })
    assert.deepEqual(work.outOfScope, [])
    const { files } = await bench.ask({ stepId: 'fix' })
    assert.deepEqual(files.map(({ path, why }) => `${path}: ${why}`).sort(), [
      'packages/api/d.ts: outside the workspace',
      'packages/web/lib: a link to ../shared, outside the workspace',
      'packages/web/s.ts: a link to lib/s.ts, outside the workspace',
    ])
  })

  test('is a list that ends, however much it is', async (t) => {
    const bench = await setScoped(t)
    const many = Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`other/${index}.ts`, 'x']))
    await bench.fix({ call: 'fix', files: many })
    const { files, more } = await bench.ask({ stepId: 'fix' })
    assert.deepEqual([files.length, more], [100, 350])
    const [tied] = await bench.store.artifacts.listForSession('s1', { kind: 'diff', name: 'fix.scope' })
    const diff = await bench.shop.artifacts.getText(tied?.ref ?? '')
    assert.equal(diff.match(/^diff --git/gm)?.length, 450)

    const long = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${`${'x'.repeat(200)}/`.repeat(15)}${index}`, 'x']),
    )
    await bench.fix({ call: 'long', files: long })
    const cut = await bench.ask({ stepId: 'long' })
    assert.ok(JSON.stringify(cut.files).length < 60_000 && cut.files.length + cut.more === 50)
  })
})

describe('a person’s word', () => {
  test('lets an issue stay only if everything of it may, and is on record (S2-31)', async (t) => {
    const bench = await setScoped(t)
    await bench.fix({
      call: 'fix',
      files: { ...A_OUTSIDE, 'packages/api/c.ts': 'C\n', 'packages/api/d.ts': 'D\n' },
      claims: { A: ['packages/shared/s.ts', 'packages/api/d.ts'], B: ['packages/api/d.ts'] },
    })
    const decision = {
      decision: 'approve',
      paths: ['packages/shared/s.ts', 'packages/api/c.ts'],
      remember: 'session',
    } as const
    assert.deepEqual(await bench.settle({ stepId: 'fix', decision }), { barred: ['A', 'B'] })
    assert.deepEqual(await bench.settle({ stepId: 'fix', decision }), { barred: ['A', 'B'] })
    const told = (await bench.store.events.listAfter('s1')).filter(({ type }) => type === 'fix_scope_decided')
    assert.equal(told.length, 1)
    assert.equal(
      told[0]?.message,
      'ada let through, for this session: packages/api/c.ts, packages/shared/s.ts; ada did not let through packages/api/d.ts (A, B)',
    )
    const { total: _, ...data } = told[0]?.data ?? {}
    assert.deepEqual(data, {
      request: 'fix',
      decision: 'approve',
      paths: decision.paths,
      remember: 'session',
      approved: ['packages/api/c.ts', 'packages/shared/s.ts'],
      refused: ['packages/api/d.ts'],
      refused_codes: [['A', 'B']],
      codes: ['A', 'B', 'C'],
      barred: ['A', 'B'],
      by: 'ada',
      from: 'cli',
      at: AT.toISOString(),
    })
  })

  test('that never came lets nothing into a commit, whoever asks for it', async (t) => {
    const bench = await setScoped(t)
    await bench.fix({ call: 'fix', files: A_OUTSIDE, claims: CLAIMED })
    const { base } = bench.workspace('s1')
    const picks = [{ snapshot: 'fix', codes: ['A'] }]
    const { tree } = await composeTree(bench.workspace('s1'), base, picks)
    const commit = {
      sessionId: 's1',
      stepId: 'commit',
      head: base,
      selections: picks,
      codes: ['A'],
      iteration: 1,
      tree,
    }
    const input = { ...commit, verified: 'passed', at: AT.getTime(), iterations: {} } as const
    await assert.rejects(bench.run('commitStage', input), /packages\/shared\/s\.ts is outside .* nothing was committed/)
    await bench.settle({ stepId: 'fix' })
    assert.equal((await bench.run('commitStage', input)).kind, 'committed')
  })

  test('that says no, or never comes, takes everything back', async (t) => {
    const bench = await setScoped(t)
    const words = {
      no: { decision: 'reject', reason: 'not there' },
      nobody: { decision: 'deadline' },
    } as const
    for (const [call, decision] of Object.entries(words)) {
      await bench.fix({ call, files: A_OUTSIDE, claims: CLAIMED })
      assert.deepEqual(await bench.settle({ stepId: call, decision }), { barred: ['A'] })
    }
    assert.deepEqual(await bench.store.grants.listAllowedPaths(bench.repository, 's1'), [])
    const told = (await bench.store.events.listAfter('s1')).filter(({ type }) => type === 'fix_scope_decided')
    assert.deepEqual(
      told.map(({ message }) => message),
      [
        'ada did not let through packages/shared/s.ts (A): "not there"',
        'nobody decided in time, so it is taken back: packages/shared/s.ts (A)',
      ],
    )
  })

  test('is remembered for the session or for the repository, and never wider than it was asked for (S2-31)', async (t) => {
    const bench = await setScoped(t)
    await bench.fix({ call: 'one', files: A_OUTSIDE, claims: CLAIMED })
    await bench.settle({ stepId: 'one', decision: { decision: 'approve', remember: 'session' } })
    await bench.fix({ call: 'two', files: { 'packages/api/d.ts': 'D\n' } })
    const decision = { decision: 'approve', paths: ['packages/api/'], remember: 'repository' } as const
    await bench.settle({ stepId: 'two', decision })
    assert.deepEqual(await bench.store.grants.listAllowedPaths(bench.repository, 's1'), [
      'packages/api/',
      'packages/shared/s.ts',
    ])

    const all = { ...A_OUTSIDE, 'packages/shared/t.ts': 't', 'packages/api/sub/x': 'x', 'packages/apis/y': 'y' }
    await bench.fix({ call: 'three', files: all })
    assert.deepEqual(
      (await bench.ask({ stepId: 'three' })).files.map(({ path }) => path),
      ['packages/apis/y', 'packages/shared/t.ts'],
    )
    await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
    await bench.begin('s2')
    await bench.fix({ call: 'four', session: 's2', files: all })
    assert.deepEqual(
      (await bench.ask({ stepId: 'four', sessionId: 's2' })).files.map(({ path }) => path),
      ['packages/apis/y', 'packages/shared/s.ts', 'packages/shared/t.ts'],
    )
  })

  test('counts the same where the worker dies on the way and it is taken in again', async (t) => {
    const bench = await setScoped(t)
    await bench.fix({
      call: 'fix',
      files: { ...A_OUTSIDE, 'other/x': 'x' },
      claims: { A: ['packages/shared/s.ts', 'other/x'] },
    })
    const input: ApplyScopeDecisionInput = {
      sessionId: 's1',
      stepId: 'fix',
      decision: { decision: 'approve', remember: 'repository' },
      decidedBy: DECIDED,
    }
    for (let nth = 1, died = true; died; nth += 1) {
      for (const when of ['before', 'after'] as const) {
        const dying = dyingShop(bench.shop, nth, when)
        await applyScopeDecision(dying.shop, input).catch(() => undefined)
        died = dying.died()
        assert.deepEqual(await bench.settle(input), { barred: [] })
        assert.deepEqual(await bench.store.grants.listAllowedPaths(bench.repository, 's1'), [
          'other/x',
          'packages/shared/s.ts',
        ])
        const told = (await bench.store.events.listAfter('s1')).filter(({ type }) => type === 'fix_scope_decided')
        assert.equal(told.length, 1)
      }
    }
  })
})

describe('work that is built on', () => {
  const start: Selection[] = [{ snapshot: 'first', codes: ['A', 'B', 'C'] }]

  async function setFirst(t: TestContext): Promise<Scoped> {
    const bench = await setScoped(t)
    const first = await bench.fix({ call: 'first', files: A_OUTSIDE, claims: CLAIMED })
    assert.deepEqual(first.needsApproval, ['A'])
    return bench
  }

  test('stays let through while it stays as it was, and asks again when it is changed again', async (t) => {
    const bench = await setFirst(t)
    await bench.settle({ stepId: 'first' })
    const left = await bench.fix({ call: 'left', start, files: { 'packages/web/a.ts': 'AA\n' } })
    assert.equal(left.needsApproval, undefined)
    const onTop: Selection[] = [{ snapshot: 'left', codes: ['A', 'B', 'C'] }]
    const changed = await bench.fix({ call: 'changed', start: onTop, files: { 'packages/shared/s.ts': 'SS\n' } })
    assert.deepEqual(changed.needsApproval, ['A'])
    const undone = await bench.fix({ call: 'undone', start: onTop, files: { 'packages/shared/s.ts': 's\n' } })
    assert.equal(undone.needsApproval, undefined)
  })

  test('that nobody has let through asks, although this call did not touch it', async (t) => {
    const bench = await setFirst(t)
    const next = await bench.fix({ call: 'next', start, files: { 'packages/web/b.ts': 'B\n' } })
    assert.deepEqual(next.needsApproval, ['A'])
    const further: Selection[] = [{ snapshot: 'next', codes: ['A', 'B', 'C'] }]
    const third = await bench.fix({ call: 'third', start: further, files: { 'packages/web/b.ts': 'BB\n' } })
    assert.deepEqual(third.needsApproval, ['A'])
    await bench.settle({ stepId: 'third' })
    const fourth = await bench.fix({ call: 'fourth', start: [{ snapshot: 'third', codes: ['A', 'B', 'C'] }] })
    assert.equal(fourth.needsApproval, undefined)
  })

  test('that was refused asks, should anybody build on it all the same', async (t) => {
    const bench = await setFirst(t)
    await bench.settle({ stepId: 'first', decision: { decision: 'reject' } })
    assert.deepEqual((await bench.fix({ call: 'next', start })).needsApproval, ['A'])
  })

  test('costs git nothing where nothing lies outside', async (t) => {
    const bench = await setScoped(t)
    const reads = countObjectReads(t)
    const plain = { files: { 'packages/web/a.ts': 'A\n' }, claims: { A: [] } }
    await bench.fix({ call: 'fix', ...plain })
    const before = reads()
    await bench.fix({
      call: 'again',
      start: [{ snapshot: 'fix', codes: ['A'] }],
      files: { 'packages/web/a.ts': 'AA\n' },
    })
    // Its own snapshot is looked for, the one that it starts from is read, and what the changed files bring is read by its size.
    assert.equal(reads() - before, 3)
  })

  test('leaves behind what is not taken over', async (t) => {
    const bench = await setFirst(t)
    const others: Selection[] = [{ snapshot: 'first', codes: ['B', 'C'] }]
    assert.equal((await bench.fix({ call: 'next', start: others })).needsApproval, undefined)
  })

  test('keeps its state when it is merged onto a person’s commit', async (t) => {
    const bench = await setFirst(t)
    const workspace = bench.workspace('s1')
    const { tree } = await bench.fix({ call: 'theirs', files: { 'README.md': 'more\n' } })
    const onto = await commitTree(workspace, { tree, parent: workspace.base, message: 'm', author: AUTHOR, at: AT })
    const merge = { sessionId: 's1', head: workspace.base, selections: start, codes: ['A'], onto, at: AT.getTime() }
    const open = await bench.run('mergeStage', { ...merge, stepId: 'open' })
    assert.deepEqual(open.kind === 'clean' && open.work.needsApproval, ['A'])
    await bench.settle({ stepId: 'first' })
    const settled = await bench.run('mergeStage', { ...merge, stepId: 'settled' })
    assert.equal(settled.kind === 'clean' && settled.work.needsApproval, undefined)
  })
})
