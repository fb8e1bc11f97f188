// Ctrl-C where nobody can be asked cancels: the attempt in work is taken back, what is committed stays, the rest is open again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'

test('a cancelled session ends with status 130, keeps its commits and leaves its issues open', async (t) => {
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fix_challenger', code: 'T-002' }, fault: { kind: 'hold' } }] },
  })
  const fix = stage.start(stage.made.findings, ['--set', 'limits.max_issues_per_cli_call=1'])
  await stage.model.waitFor({ role: 'fix_challenger', code: 'T-002' }, { timeoutMs: 60_000 })
  fix.child.kill('SIGINT')
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 130, stderr)
  assert.ok(result)
  assert.deepEqual([result.status, result.ending?.class, result.commits.length], ['cancelled', 'cancelled', 1])
  assert.deepEqual(
    result.results.map(({ status: end }) => end),
    ['completed', 'skipped'],
  )
  assert.equal(stage.git('diff', '--name-only', 'main', `${result.branch_name}`), 'ledger/part_000.py')
  const [open] = await stage.read((store) => store.issues.list({ issue_code: 'T-002' }))
  assert.equal(open?.status, 'open')
  assert.equal((await stage.events(result.session_id)).at(-1)?.type, 'fix_session_cancelled')
  await checkInvariants(stage, 'cancelled')
})
