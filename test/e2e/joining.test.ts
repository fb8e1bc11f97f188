// The same work is one session, however often and however parallel it is asked for; different work on one repository does not meet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { findingsOf } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

test('S2-32 two starts of the same work are one session, a different one goes on beside it, and the same again within the hour is its result', async (t) => {
  const hold = { kind: 'hold' } as const
  const stage = await setMadeStage(t, 2, {
    scenario: { faults: [{ match: { role: 'fixer', at: 'first' }, fault: hold }] },
  })
  const [one, two] = [findingsOf(stage.made, 'T-001'), findingsOf(stage.made, 'T-002')]
  const first = stage.start(one)
  await stage.model.waitFor({ role: 'fixer', code: 'T-001' }, { timeoutMs: 60_000 })
  const same = stage.start(one, ['--notes', 'other notes'])
  const other = stage.start(two)
  await stage.model.waitFor({ role: 'fixer', code: 'T-002' }, { timeoutMs: 60_000 })
  await same.says(/joining session/)
  await same.says(/yours differ in notes/)
  stage.model.release()

  const [a, b, c] = await Promise.all([first.ended, same.ended, other.ended])
  for (const { status, stderr } of [a, b, c]) assert.equal(status, 0, stderr)
  assert.deepEqual(a.result, b.result)
  assert.notEqual(a.result?.session_id, c.result?.session_id)
  assert.notEqual(a.result?.branch_name, c.result?.branch_name)
  const changed = (branch: string | null | undefined) => stage.git('diff', '--name-only', 'main', `${branch}`)
  assert.equal(changed(a.result?.branch_name), 'ledger/part_000.py')
  assert.equal(changed(c.result?.branch_name), 'ledger/part_001.py')
  assert.equal((await stage.sessions()).length, 2)

  await stage.quiet()
  const asked = stage.model.calls().length
  const again = await stage.fix(one)
  assert.deepEqual(again.result, a.result)
  assert.match(again.stderr, /less than an hour ago/)
  assert.equal(stage.model.calls().length, asked, 'nobody was asked again')
  assert.equal((await stage.sessions()).length, 2)
  await checkInvariants(stage, 'joined')
})
