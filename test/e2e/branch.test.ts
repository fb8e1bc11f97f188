// The session's branch belongs to people, too: where they have it checked out it does not move, and what they commit on it stays.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { gitAt, setMadeStage } from '../support/session.ts'

test('a branch that is checked out is waited for, and what a person committed on it meanwhile is kept: the fix is merged onto it and judged again', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fixer', code: 'T-002' }, fault: { kind: 'hold' } }] },
  })
  const fix = stage.start(stage.made.findings, ['--set', 'limits.max_issues_per_cli_call=1'])
  await stage.model.waitFor({ role: 'fixer', code: 'T-002' })
  const branch = (await stage.sessions())[0]?.branch_name ?? ''
  const checkout = join(stage.folder, 'checkout')
  gitAt(stage.repository, ['worktree', 'add', '--quiet', checkout, branch])
  writeFileSync(join(checkout, 'mine.py'), 'mine = 1\n')
  gitAt(checkout, ['add', 'mine.py'])
  gitAt(checkout, ['commit', '--quiet', '-m', 'Mine'])
  stage.model.release()

  await fix.says(/⏳.*checked out at/)
  const [waiting] = await stage.sessions()
  assert.equal(waiting?.waiting?.kind, 'branch')
  assert.equal(gitAt(checkout, ['status', '--porcelain']), '', 'their checkout does not change under them')
  gitAt(stage.repository, ['worktree', 'remove', checkout])

  const { status, result, stderr } = await fix.ended
  assert.equal(status, 0, stderr)
  assert.equal(result?.issues_fixed, 2)
  const format = '--format=%s %(trailers:key=Fixwright-Issue,valueonly,separator=%x2c)'
  const commits = stage.git('log', format, '--reverse', `main..${branch}`).split('\n')
  assert.deepEqual(
    commits.map((commit) => commit.match(/T-\d+|Mine/)?.[0]),
    ['T-001', 'Mine', 'T-002'],
  )
  assert.equal(stage.git('show', `${branch}:mine.py`), 'mine = 1')
  const asked = (await stage.read((store) => store.agentCalls.listForSession(result?.session_id ?? ''))).map(
    ({ key }) => key,
  )
  assert.ok(
    asked.some((key) => /^s2\.merge\d+\.challenge$/.test(key)),
    asked.join(),
  )
  await checkInvariants(stage, 'person-on-branch')
})

test('a fix that conflicts with what a person committed meanwhile is not forced in: its issue fails with the files, theirs stays, the rest goes on [S2-37]', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fix_challenger', code: 'T-002' }, fault: { kind: 'hold' } }] },
  })
  const fix = stage.start(stage.made.findings, ['--set', 'limits.max_issues_per_cli_call=1'])
  await stage.model.waitFor({ role: 'fix_challenger', code: 'T-002' })
  const branch = (await stage.sessions())[0]?.branch_name ?? ''
  const checkout = join(stage.folder, 'checkout')
  gitAt(stage.repository, ['worktree', 'add', '--quiet', checkout, branch])
  writeFileSync(join(checkout, 'ledger/part_001.py'), 'their = "own way"\n')
  gitAt(checkout, ['commit', '--quiet', '-am', 'Mine'])
  gitAt(stage.repository, ['worktree', 'remove', checkout])
  stage.model.release()

  const { status, result, stderr } = await fix.ended
  assert.equal(status, 1, stderr)
  assert.deepEqual(
    result?.results.map(({ status: end }) => end),
    ['completed', 'failed'],
  )
  assert.match(
    result?.results[1]?.error ?? '',
    /conflicts with a commit made on the branch meanwhile, in ledger\/part_001\.py/,
  )
  assert.equal(stage.git('show', `${branch}:ledger/part_001.py`), 'their = "own way"')
  await checkInvariants(stage)
})
