// A branch that the person names: one of theirs that is gone on with, or a new one. What is in the way is told before any agent is asked.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../support/invariants.ts'
import { findingsOf } from '../support/scripting.ts'
import { gitAt, setMadeStage } from '../support/session.ts'

type Stage = Awaited<ReturnType<typeof setMadeStage>>

const HOLD = { match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } } as const

/** A branch of the person's with a commit of theirs on it, nowhere checked out. Its head. */
function branchOfTheirs({ git, write }: Stage, name: string): string {
  git('checkout', '-q', '-b', name)
  write({ 'theirs.py': 'theirs = 1\n' })
  git('add', 'theirs.py')
  git('commit', '-q', '-m', 'Theirs')
  const head = git('rev-parse', 'HEAD')
  git('checkout', '-q', 'main')
  return head
}

test("an existing branch is gone on with: the fixes stand on the person's commits, and the same work later goes on there [S2-21]", async (t) => {
  const stage = await setMadeStage(t, 2)
  const head = branchOfTheirs(stage, 'fix/theirs')
  const args = ['--branch', 'fix/theirs', '--use-existing-branch']
  const { result } = await stage.fix(findingsOf(stage.made, 'T-001'), { args })
  assert.deepEqual([result?.branch_name, result?.issues_fixed], ['fix/theirs', 1])
  assert.equal(stage.git('rev-parse', 'fix/theirs~1'), head)
  assert.equal(stage.git('show', 'fix/theirs:theirs.py'), 'theirs = 1')

  const more = await stage.fix(findingsOf(stage.made, 'T-002'), { args })
  assert.equal(more.result?.branch_name, 'fix/theirs')
  assert.deepEqual(stage.git('diff', '--name-only', 'main', 'fix/theirs').split('\n'), [
    'ledger/part_000.py',
    'ledger/part_001.py',
    'theirs.py',
  ])
  assert.equal(stage.git('rev-list', '--count', 'main..fix/theirs'), '3')
  await checkInvariants(stage)
})

test('a new branch gets the name that was asked for, and a session that goes on there after it was cancelled', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fixer', code: 'T-002', nth: 1 }, fault: { kind: 'hold' } }] },
  })
  const args = ['--branch', 'fix/mine', '--set', 'limits.max_issues_per_cli_call=1']
  const first = stage.start(stage.made.findings, args)
  await stage.model.waitFor({ role: 'fixer', code: 'T-002' })
  first.child.kill('SIGINT')
  assert.deepEqual([(await first.ended).status, (await first.ended).result?.branch_name], [130, 'fix/mine'])
  const { result } = await stage.fix(stage.made.findings, { args })
  assert.deepEqual([result?.branch_name, result?.commits.length], ['fix/mine', 1])
  assert.equal(stage.git('rev-list', '--count', 'main..fix/mine'), '2')
  await checkInvariants(stage)
})

test('a branch that can not be used is told before any agent is called and before anything is written: missing, checked out, behind, taken, there already [S2-37]', async (t) => {
  const stage = await setMadeStage(t, 2, { scenario: { faults: [HOLD] } })
  branchOfTheirs(stage, 'fix/theirs')
  stage.git('branch', 'fix/behind', 'main')
  stage.git('worktree', 'add', '-q', join(stage.folder, 'their checkout'), '-b', 'fix/open')
  stage.write({ 'more.py': 'more = 1\n' })
  stage.git('add', 'more.py')
  stage.git('commit', '-q', '-m', 'main goes on')
  await stage.lookAgain()
  for (const [branch, message] of [
    ['fix/their', /there is no branch fix\/their: did you mean fix\/theirs/],
    ['fix/open', /the branch fix\/open is checked out at .*their checkout, and would change under that checkout/],
    ['fix/behind', /the branch fix\/behind is 1 commit behind main.*git rebase main fix\/behind/],
    ['no branch', /"no branch" is not a branch name/],
  ] as const) {
    const { stderr } = await stage.fix(stage.made.findings, {
      args: ['--branch', branch, '--use-existing-branch'],
      status: 2,
    })
    assert.match(stderr, /^fixwright: nothing was changed: /)
    assert.match(stderr, message)
  }
  const exists = await stage.fix(stage.made.findings, { args: ['--branch', 'fix/theirs'], status: 2 })
  assert.match(
    exists.stderr,
    /fix\/theirs exists already: give --use-existing-branch to commit onto it, or another name/,
  )
  assert.equal(findLiveInstance(stage.home), undefined, 'nothing was even started')
  assert.deepEqual(await stage.sessions(), [])
  assert.deepEqual(await stage.read((store) => store.issues.list()), [])

  const one = stage.start(findingsOf(stage.made, 'T-001'), ['--branch', 'fix/shared'])
  await stage.model.waitFor({ role: 'fixer' })
  const taken = await stage.fix(findingsOf(stage.made, 'T-002'), { args: ['--branch', 'fix/shared'], status: 2 })
  assert.match(
    taken.stderr,
    /session \S+ is committing onto the branch fix\/shared: wait until it has ended, or stop it/,
  )
  stage.model.release()
  assert.equal((await one.ended).status, 0)
  assert.equal(stage.model.calls().filter(({ codes }) => codes.includes('T-002')).length, 0, 'nobody was asked')
  gitAt(stage.repository, ['worktree', 'remove', join(stage.folder, 'their checkout')])
  await stage.lookAgain()
  await checkInvariants(stage)
})

test('other options are another answer: within the hour of success another branch begins anew [S2-32]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const first = await stage.fix(stage.made.findings, { args: ['--branch', 'fix/one'] })
  const same = await stage.fix(stage.made.findings, { args: ['--branch', 'fix/one'] })
  assert.deepEqual(same.result, first.result)
  const other = await stage.fix(stage.made.findings, { args: ['--branch', 'fix/two'] })
  assert.notEqual(other.result?.session_id, first.result?.session_id)
  await checkInvariants(stage)
})
