import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findSelfApproval } from '../../../src/domain/people/check-approver.ts'
import { insertSession } from '../../support/store.ts'
import { type Bench, commitOfA, DEFAULTS, S1, setBench } from '../support.ts'

test('two sessions of one repository never get the same branch, although neither has committed yet', async (t) => {
  const bench = await setBench(t)
  await bench.session('s1', { A: 'src/app.py' })
  await bench.session('s2', { A: 'src/app.py' })
  const [one, two] = await Promise.all([
    bench.run('openSession', { sessionId: 's1' }),
    bench.run('openSession', { sessionId: 's2' }),
  ])
  assert.deepEqual([one.branch, two.branch].sort(), ['fix/one-title', 'fix/one-title-2'])
})

test('a session with lanes: auto gets no more of them than the memory of its container bears', async (t) => {
  const bench = await setBench(t)
  t.mock.method(process, 'constrainedMemory', () => 1_500 * 2 ** 20)
  const limits = { ...DEFAULTS.limits, lanes: 'auto' as const }
  const worker = { ...DEFAULTS.worker, max_parallel_calls: 16 }
  await bench.session('s1', { A: 'src/app.py', B: 'run.sh' }, { limits, worker })
  assert.equal((await bench.run('openSession', { sessionId: 's1' })).lanes?.count, 2)
})

test('a session with nothing to do takes no branch and builds no workspace', async (t) => {
  const bench = await setBench(t)
  await bench.session('s1', { A: 'src/app.py', B: 'run.sh' })
  for (const { issue_id } of await bench.store.issues.list()) {
    await bench.store.issues.changeStatus({ issue_id, to: 'ignored', mover: 'person' })
  }
  const opened = await bench.run('openSession', { sessionId: 's1' })
  assert.deepEqual([opened.branch, opened.stages], [undefined, []])
  assert.throws(() => bench.workspace('s1'))
  const summary = await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
  assert.deepEqual([summary.status, summary.skipped], ['skipped', 2])
  const result = (await bench.store.sessions.get('s1'))?.result
  assert.deepEqual([result?.branch_name, result?.results.map(({ settled }) => settled)], [null, [true, true]])
})

test('an issue that another living session has is left out, and still is when opening is tried again', async (t) => {
  const bench = await setBench(t)
  await bench.session('s1', { A: 'src/app.py' })
  await bench.run('openSession', { sessionId: 's1' })
  const [issue] = await bench.store.issues.list()
  assert.ok(issue)
  const { issue_id, task_id } = issue
  const other = { ...(await bench.store.sessions.get('s1'))!, session_id: 's2', key: 'other', task_id }
  await insertSession(bench.store, { ...other, run_id: undefined, branch_name: undefined, issue_ids: [issue_id] })
  assert.deepEqual((await bench.run('openSession', { sessionId: 's2' })).stages, [])
  await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
  assert.deepEqual((await bench.run('openSession', { sessionId: 's2' })).stages, [])
  await bench.run('closeSession', { sessionId: 's2', outcomes: {}, at: Date.now() })
  assert.equal((await bench.store.issues.get(issue_id))?.status, 'open')
  const result = (await bench.store.sessions.get('s2'))?.result
  assert.match(result?.results[0]?.error ?? '', /session s1 is working on A/)
  assert.equal(result?.results[0]?.settled, undefined)
})

/** A session `s1` that has resolved the issue A, and later sessions of the same issue. */
async function setResolvedIssue(bench: Bench) {
  await bench.session('s1', { A: 'src/app.py' })
  const { base, branch = '' } = await bench.run('openSession', { sessionId: 's1' })
  const tree = await bench.fixed('s1', 'fix', { 'src/app.py': 'x = 1\n' }, 'A')
  const on = commitOfA('s1', base)
  await bench.run('commitStage', { ...on, tree, verified: 'unverified', at: Date.now() })
  await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
  const [issue] = await bench.store.issues.list()
  assert.equal(issue?.status, 'resolved')
  const {
    result: _,
    ended_at: __,
    ending: ___,
    run_id: ____,
    branch_name: _____,
    ...first
  } = (await bench.store.sessions.get('s1'))!
  const openAgain = async (id: string) => {
    const own = { session_id: id, key: id, status: 'pending', issue_ids: [issue.issue_id] } as const
    await insertSession(bench.store, { ...first, ...own })
    return await bench.run('openSession', { sessionId: id })
  }
  return { branch, openAgain, now: async () => (await bench.store.issues.get(issue.issue_id))! }
}

test('a resolved issue is settled as long as its commit is somewhere, and worked on again when its branch was thrown away', async (t) => {
  const bench = await setBench(t)
  const { branch, openAgain, now } = await setResolvedIssue(bench)
  assert.equal((await openAgain('s2')).stages.length, 0)
  bench.git(['branch', '-D', branch])
  assert.equal((await openAgain('s3')).stages.length, 1)
  assert.equal((await now()).status, 'in_progress')
})

test('a resolved issue whose branch was squashed and deleted is merged, whatever the squash is called [S0-16]', async (t) => {
  const bench = await setBench(t)
  const { branch, openAgain, now } = await setResolvedIssue(bench)
  bench.git(['merge', '-q', '--squash', branch])
  bench.git(['commit', '-q', '-m', 'Fix it (#1)'])
  const squashed = bench.git(['rev-parse', 'HEAD'])
  bench.write({ 'src/app.py': 'x = 2\n' })
  bench.git(['commit', '-q', '-a', '-m', 'Edit it later'])
  bench.git(['branch', '-D', branch])
  assert.equal((await openAgain('s2')).stages.length, 0)
  const { status, resolution_note } = await now()
  assert.deepEqual([status, resolution_note], ['merged', `merged into main as ${squashed.slice(0, 12)}`])
  assert.deepEqual(readdirSync(join(bench.home, 'sessions/.landing')), [])
})

test('the rules of a session are what its settings say', async (t) => {
  const bench = await setBench(t)
  const { fix_challenger, verification } = DEFAULTS
  await bench.session(
    S1,
    { A: 'src/app.py' },
    {
      profile: 'sequential',
      max_iterations: 7,
      fix_challenger: { ...fix_challenger, solved_threshold: 71, satisfaction_threshold: 83, when_checks_fail: 'ask' },
      verification: { ...verification, commands: ['true'], fresh_checkout: false, prove: true },
    },
  )
  const { rules } = await bench.run('openSession', { sessionId: S1 })
  assert.deepEqual(rules, {
    ...{ maxIterations: 7, solvedThreshold: 71, satisfactionThreshold: 83 },
    ...{ challenge: true, verify: true, requiresWholeDiffScore: true, verifiesFreshCheckout: false, provesFixes: true },
    ...{ verifiesOldTests: true, findsCulprits: true, skipsFailedChallenges: false, boundsExtraRound: true },
  })
})

test('with four eyes a session says for sure who started it, or that nobody can be sure', async (t) => {
  const bench = await setBench(t)
  const starters = [
    [undefined, { starter: undefined, lacksCheckedStarter: true }],
    [
      { by: 'eve', from: 'a script', checked: false },
      { starter: 'eve', lacksCheckedStarter: true },
    ],
    [{ by: 'ada', from: 'a terminal', checked: true }, { starter: 'ada' }],
  ] as const
  for (const [index, [started_by, fourEyes]] of starters.entries()) {
    const people = { ...DEFAULTS.people, four_eyes: true }
    await bench.session(`s${index}`, { A: 'src/app.py' }, { people }, { started_by })
    const opened = await bench.run('openSession', { sessionId: `s${index}` })
    assert.deepEqual(opened.fourEyes, fourEyes)
    const refusal = findSelfApproval(fourEyes, { by: 'bob', isChecked: true })
    assert.equal(refusal?.code, index < 2 ? 'self_approval' : undefined)
  }
})
