// Wrong fixes with a fooled challenger: what they change of the tests is put back before they are believed.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK } from '../support/killing.ts'
import { change, write, wrongEdit } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'
import { temporaryFolder } from '../support/temporal.ts'
import { until } from '../support/until.ts'

/** Holds on the base, and with a right fix; not with a wrong one. */
const TEST = '! grep -q "(count)" ledger/part_000.py\n'

test('a fix that makes a test milder and one that changes tests alone are not committed, whatever the challenger says', async (t) => {
  const stage = await setMadeStage(t, 3, {
    files: { 'tests/part.sh': TEST, 'tests/more.sh': 'grep -q ledger ledger/part_001.py || true\n' },
    change: (made) => {
      const steps = {
        'T-001': [wrongEdit(made, 'T-001'), write('tests/part.sh', 'true\n')],
        'T-002': [write('tests/more.sh', '')],
      }
      for (const [code, own] of Object.entries(steps)) {
        const file_modified = own.flatMap((step) => ('file' in step ? step.file : []))
        change(made, code, { scores: [96], fixes: [{ steps: own, reply: { file_modified } }] })
      }
    },
  })
  const fix = stage.start(stage.made.findings, [
    ...['--verify', 'for each in tests/*.sh; do sh "$each" || exit 1; done'],
    ...['--set', 'verification.test_changes=reject', '--max-iterations', '1'],
  ])
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 1, stderr)
  assert.deepEqual(
    result?.results.map(({ issue_code, status: end }) => [issue_code, end]),
    [
      ['T-001', 'failed'],
      ['T-002', 'failed'],
      ['T-003', 'completed'],
    ],
    stderr,
  )
  const [first, second] = result?.results ?? []
  assert.match(first?.error ?? '', /changes of tests are not allowed .*test_changes.*exit status 1/)
  assert.match(second?.error ?? '', /blocker/)
  assert.match(stderr, /with tests\/part\.sh.* as before the fix: for each .*exit status 1/)
  await checkInvariants(stage, 'old-tests')
})

test('a session whose worker is killed while the tests run as they were goes on and ends as without it', async (t) => {
  const { path: gate, remove } = temporaryFolder('gate')
  t.after(remove)
  const [reached, open] = [join(gate, 'reached'), join(gate, 'open')]
  // The old test meets the wrong fix only in the run with the tests of the base.
  const waits = `if grep -q "(count)" ledger/part_000.py; then
  touch '${reached}'
  while [ ! -e '${open}' ]; do sleep 0.1; done
  exit 1
fi
`
  const stage = await setMadeStage(t, 2, {
    environment: QUICK,
    files: { 'tests/part.sh': waits },
    change: (made) => {
      const steps = [wrongEdit(made, 'T-001'), write('tests/part.sh', 'true\n')]
      const reply = { file_modified: ['ledger/part_000.py', 'tests/part.sh'] }
      change(made, 'T-001', { scores: [96], fixes: [{ steps, reply }] })
    },
  })
  const fix = stage.start(stage.made.findings, [
    ...['--verify', 'sh tests/part.sh', '--set', 'verification.test_changes=reject', '--max-iterations', '1'],
  ])
  await until('the tests run as they were', () => existsSync(reached))
  kill(stage, ['worker'])
  writeFileSync(open, '')
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 1, stderr)
  assert.deepEqual(
    result?.results.map(({ issue_code, status: end }) => [issue_code, end]),
    [
      ['T-001', 'failed'],
      ['T-002', 'completed'],
    ],
    stderr,
  )
  assert.match(result?.results[0]?.error ?? '', /changes of tests are not allowed .*exit status 1/)
  const calls = stage.model.calls().filter(({ role, step }) => role === 'fixer' && step === 0)
  assert.equal(calls.length, 1, 'no fixer is paid again')
  await checkInvariants(stage)
})
