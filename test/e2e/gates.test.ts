// The gates where they disagree with the fixer, and what is kept of several attempts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, change, findingsOf, remark, rightEdit, rightWith } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

test('a solved stage below the mean of 95 gets another round, and a worse second attempt does not replace the first [S2-14, S2-26, C2]', async (t) => {
  const stage = await setMadeStage(t, 1, {
    change: (made) => {
      attempts(made, 'T-001', [rightEdit(made, 'T-001')], [remark(made, 'T-001', 'worse')])
      change(made, 'T-001', { scores: [92, 60] })
    },
  })
  const { result } = await stage.fix(stage.made.findings)
  const [issue] = result?.results ?? []
  assert.deepEqual([issue?.status, issue?.fix_gemini_score, issue?.iterations], ['completed', 92, 2])
  assert.doesNotMatch(stage.git('show', `${result?.branch_name}:ledger/part_000.py`), /worse/)
  await checkInvariants(stage, 'worse-second-attempt')
})

/** Says what is wrong on standard output, as most test runners do. */
const CHECK = `import pathlib, sys
bad = [str(path) for path in sorted(pathlib.Path("ledger").glob("*.py")) if "BROKEN" in path.read_text()]
print("the check stumbles over", bad)
sys.exit(len(bad))
`
const RED_BEFORE = 'echo was red before && test -f never-there'
const VERIFY = ['--verify', RED_BEFORE, '--verify', 'python3 check.py', '--set', 'limits.max_issues_per_cli_call=2']

test('what the verification finds newly broken goes round again with its output, and what never gets green is taken out [C3, C16]', async (t) => {
  const stage = await setMadeStage(t, 6, {
    files: { 'check.py': CHECK },
    change: (made) => {
      const broken = (code: string) => rightWith(made, code, 'BROKEN')
      const mended = { ...broken('T-002'), old: broken('T-002').new, new: rightEdit(made, 'T-002').new }
      attempts(made, 'T-002', [broken('T-002')], [mended])
      attempts(made, 'T-006', [broken('T-006')], [remark(made, 'T-006', 'still BROKEN')])
      change(made, 'T-006', { scoreWhenProven: 95 })
    },
  })
  const findings = findingsOf(stage.made, 'T-001', 'T-002', 'T-005', 'T-006')
  const { result } = await stage.fix(findings, { args: VERIFY, status: 1 })
  assert.ok(result)
  assert.deepEqual(
    result.results.map(({ issue_code, status, iterations }) => [issue_code, status, iterations]),
    [
      ['T-001', 'completed', 2],
      ['T-002', 'completed', 2],
      ['T-005', 'completed', 2],
      ['T-006', 'failed', 2],
    ],
  )
  assert.match(result.results[3]?.error ?? '', /verification failed/)
  assert.doesNotMatch(stage.git('show', `${result.branch_name}:ledger/part_001.py`), /BROKEN/)
  assert.match(result.commits[0]?.message ?? '', /^Fixwright-Verified: python3 check\.py$/m)

  const again = stage.model.calls().find(({ role, codes }) => role === 're_fixer' && codes.includes('T-002'))
  const prompt = again && promptOf(again)
  assert.match(prompt ?? '', /the check stumbles over/)
  assert.doesNotMatch(
    prompt ?? '',
    /<data name="verification"[\s\S]*was red before[\s\S]*<\/data/,
    'what was red before is nobody’s fault',
  )
  const verdicts = (await stage.events(result.session_id)).filter((event) => event.type === 'fix_verification_result')
  assert.ok(
    verdicts.some(({ data }) => data.verdict === 'failed') && verdicts.some(({ data }) => data.verdict === 'passed'),
  )
  await checkInvariants(stage, 'verification')
})

test('a command that was red before proves nothing: the commit says so', async (t) => {
  const stage = await setMadeStage(t, 1)
  const { result } = await stage.fix(stage.made.findings, { args: ['--verify', RED_BEFORE], status: 1 })
  assert.deepEqual([result?.issues_fixed, result?.unproven_refused?.length], [1, 1])
  const verdicts = (await stage.events(result?.session_id ?? '')).filter(
    (event) => event.type === 'fix_verification_result',
  )
  assert.deepEqual(
    verdicts.map(({ data }) => data.verdict),
    ['unverified', 'unverified'],
  )
  assert.doesNotMatch(result?.commits[0]?.message ?? '', /Fixwright-Verified/)
  await checkInvariants(stage, 'red-before')
})
