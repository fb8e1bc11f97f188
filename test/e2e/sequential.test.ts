// Profile `sequential`: all batches, backend first, then one look at the whole diff; all is committed together or nothing is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, findingsOf, remark, rightEdit } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const SEQUENTIAL = ['--profile', 'sequential']

test('a whole diff below the threshold goes round again, and then all of it is committed [S0-12, S0-13, S0-14, S2-26]', async (t) => {
  const stage = await setMadeStage(t, 7, {
    scenario: { wholeScores: [80, 97] },
    change: (made) => {
      for (const code of ['T-001', 'T-007']) {
        attempts(made, code, [rightEdit(made, code)], [remark(made, code, 'checked')])
      }
    },
  })
  // The frontend is named first and still comes second.
  const findings = { issues: findingsOf(stage.made, 'T-001', 'T-007').issues.toReversed() }
  const { result } = await stage.fix(findings, { args: SEQUENTIAL })
  assert.ok(result)
  assert.deepEqual(
    result.commits.map(({ issue_codes }) => issue_codes),
    [['T-001'], ['T-007']],
  )
  assert.deepEqual(
    result.results.map(({ status, iterations }) => [status, iterations]),
    [
      ['completed', 2],
      ['completed', 2],
    ],
  )
  assert.match(stage.git('show', `${result.branch_name}:ledger/part_000.py`), /# checked/)
  const events = await stage.events(result.session_id)
  const labels = events.flatMap(({ type, data }) => (type === 'fix_batch_started' ? [data.label] : []))
  assert.deepEqual(labels, ['BE 1/1', 'FE 1/1', 'BE 1/1', 'FE 1/1'])
  const [first] = events
  assert.equal(first?.type === 'fix_session_started' && first.data.max_iterations, 3)
  const whole = events.flatMap(({ data }) => ('whole' in data ? [data.whole] : []))
  assert.deepEqual(whole, [80, 97])
  await checkInvariants(stage, 'sequential')
})

test('a whole diff that never reaches the threshold commits nothing [S0-13]', async (t) => {
  const stage = await setMadeStage(t, 7, { scenario: { wholeScores: [94.9] } })
  const { result } = await stage.fix(findingsOf(stage.made, 'T-001', 'T-007'), {
    args: [...SEQUENTIAL, '--max-iterations', '1'],
    status: 1,
  })
  assert.deepEqual([result?.status, result?.issues_failed, result?.commits], ['failed', 2, []])
  for (const { error } of result?.results ?? []) assert.match(error ?? '', /the whole diff scored 94.9, below 95/)
  await checkInvariants(stage, 'sequential-never')
})
