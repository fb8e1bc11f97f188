// A base on which one test is red that has nothing to do with the findings, and a challenger that approves whatever it sees: what the
// commands show of a fix has to come from more than their exit status.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, change, rightEdit, write } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const SUITE = `import unittest
from ledger.part_000 import last_page_000
from ledger.part_001 import is_adult_001


class Ledger(unittest.TestCase):
    def test_last_page(self):
        self.assertEqual(last_page_000(10, 5), last_page_000(10, 5))

    def test_is_adult(self):
        self.assertTrue(is_adult_001(40, 18))

    def test_of_a_newer_compiler(self):
        self.assertEqual("3.8", "3.9")
`

test('no code at all is not committed on a red base, and the right fix beside it is', async (t) => {
  const stage = await setMadeStage(t, 2, {
    files: { 'test_ledger.py': SUITE },
    change: (made) => {
      change(made, 'T-001', { scores: [96, 96, 96] })
      attempts(made, 'T-001', [write(rightEdit(made, 'T-001').file, ')))) this is not code ((((\n')])
    },
  })
  const args = ['--verify', 'python3 -B -m unittest test_ledger', '--max-iterations', '1']
  const { result } = await stage.fix(stage.made.findings, { args, status: 1 })
  const [wrong, right] = result?.results ?? []
  assert.deepEqual(
    result?.commits.map(({ issue_codes }) => issue_codes),
    [['T-002']],
  )
  assert.deepEqual([wrong?.status, right?.status], ['failed', 'completed'])
  assert.match(
    wrong?.error ?? '',
    /^verification failed: python3 .*unittest passed 2 before and has not come to its end now/,
  )
  await checkInvariants(stage)
})

test('a check that can’t start on the base ends the session before anything is paid, unless it is named', async (t) => {
  const stage = await setMadeStage(t, 1)
  const check = 'node run-tests.js'
  const asking = ['--verify', check, '--clarify', '--set', 'git.naming=agent']
  const refused = await stage.fix(stage.made.findings, { args: asking, status: 2 })
  assert.equal(refused.result?.ending?.code, 'check_cannot_start')
  assert.match(
    refused.result?.ending?.reason ?? '',
    /^"node run-tests\.js" \(.*Cannot find module.*\) can't run.*--setup.*--ignore-broken-checks 'node run-tests\.js'/,
  )
  assert.deepEqual([refused.result?.status, refused.result?.results[0]?.status], ['failed', 'skipped'])
  assert.deepEqual(stage.model.calls(), [])
  await checkInvariants(stage, 'check-cannot-start')

  const args = ['--verify', check, '--ignore-broken-checks', check]
  const { result } = await stage.fix(stage.made.findings, { args, status: 1 })
  const [issue] = result?.results ?? []
  assert.equal(issue?.status, 'completed')
  assert.match(issue?.unproven ?? '', /^no check could say anything of it: node run-tests\.js/)
  assert.deepEqual(result?.unproven_refused, [issue?.issue_code])
  assert.match(result?.commits[0]?.message ?? '', /\nFixwright-Unproven: no check could say anything of it/)
  const report = await stage.command('report', result?.session_id ?? '').ended
  assert.match(report.stdout, /unproven/)
  const accepted = await stage.command('watch', result?.session_id ?? '').ended
  assert.match(accepted.stdout, /\nunproven: .*verification\.unproven/)
  await checkInvariants(stage)
})
