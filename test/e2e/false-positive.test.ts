// Findings that are none: the fixer says so and why, the challenger decides, and nothing is committed for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { readDataBlocks } from '../../rehearsal/prompt.ts'
import type { Made } from '../../rehearsal/twelve.ts'
import type { IssueFixResult } from '../../src/domain/session/session.ts'
import { checkInvariants } from '../support/invariants.ts'
import { change, findingsOf } from '../support/scripting.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'

const REASON = 'The caller in ledger/totals.py passes no empty list: line 9 returns before.'

/** The fixer changes nothing for it; what the challenger says to that, by iteration. */
function deny(made: Made, code: string, summary: string, ...agrees: readonly boolean[]): void {
  const verdicts = agrees.map((agreed) => ({ false_positive_agreed: agreed, feedback: `I looked at ${code}.` }))
  change(made, code, { fixes: [{ status: 'false_positive', summary }], verdicts })
}

function ended(results: readonly IssueFixResult[] = []): (readonly unknown[])[] {
  return results.map(({ issue_code, status, false_positive, settled, iterations }) => [
    issue_code,
    status,
    false_positive,
    settled,
    iterations,
  ])
}

/** The prompts that the challenger got in its calls about an issue, each call once. */
function questionsAbout(stage: E2eStage, code: string): ReadonlyMap<string, string>[] {
  const asked = stage.model.calls().filter(({ role, codes }) => role === 'fix_challenger' && codes.includes(code))
  return [...new Set(asked.flatMap((call) => promptOf(call) ?? []))].map(readDataBlocks)
}

test('a false positive that the challenger agrees to is ignored with its reason, next to a fix in the same file that is committed [S2-19, S0-17, S4-14]', async (t) => {
  const stage = await setMadeStage(t, 4, { change: (made) => deny(made, 'T-004', REASON, true) })
  const { result } = await stage.fix(findingsOf(stage.made, 'T-003', 'T-004'))
  assert.deepEqual(ended(result?.results), [
    ['T-003', 'completed', false, undefined, 1],
    ['T-004', 'skipped', true, true, 1],
  ])
  assert.deepEqual([result?.status, result?.issues_fixed, result?.issues_skipped], ['completed', 1, 1])
  assert.deepEqual(
    result?.commits.map(({ issue_codes }) => issue_codes),
    [['T-003']],
  )
  const denied = result?.results[1]
  assert.equal(denied?.fix_explanation, REASON)
  assert.equal(denied?.error, `false positive: ${REASON} (the challenger agreed)`)
  const [issue] = await stage.read((store) => store.issues.list({ issue_code: 'T-004' }))
  assert.deepEqual([issue?.status, issue?.resolution_note, issue?.fix_commit_sha], ['ignored', REASON, undefined])

  const events = (await stage.events(result?.session_id ?? '')).filter(({ issue_code }) => issue_code === 'T-004')
  const skipped = events.find((event) => event.type === 'fix_issue_skipped')
  assert.equal(skipped?.message, denied?.error)
  const { cost_usd, tokens, total, ...rest } = skipped?.data ?? {}
  // The fixer's part of the cost is known, the challenger's tells none.
  const said = {
    reason: denied?.error,
    false_positive: true,
    agreed_by: 'fix_challenger',
    call: 's1.i1.challenge',
    cost_partial: true,
  }
  assert.deepEqual(rest, said)
  assert.ok(Number(cost_usd) > 0 && Number(tokens) > 0 && total !== undefined)
  const heard = events.find((event) => event.type === 'fix_challenger_result')
  assert.equal(heard?.message, 'false positive agreed · I looked at T-004.')

  const [question, ...more] = questionsAbout(stage, 'T-004')
  assert.deepEqual(more, [])
  assert.match(question?.get('claims') ?? '', /"false_positive"/)
  assert.match(question?.get('code') ?? '', /^ledger\/part_002\.py, lines 1 to 6 of 6 \(T-004 at 6\)[\s\S]*# T-004$/m)
  assert.match(question?.get('diff') ?? '', /^\+.*# T-003$/m)
  assert.doesNotMatch(question?.get('diff') ?? '', /^[+-].*# T-004$/m)
  await checkInvariants(stage, 'false-positive')
})

test('a session of nothing but false positives asks about an empty diff, commits nothing, and is done [S2-19, S0-17]', async (t) => {
  const stage = await setMadeStage(t, 1, { change: (made) => deny(made, 'T-001', REASON, true) })
  const { result } = await stage.fix(stage.made.findings)
  assert.deepEqual(ended(result?.results), [['T-001', 'skipped', true, true, 1]])
  assert.deepEqual([result?.status, result?.commits], ['skipped', []])
  assert.equal(stage.git('rev-list', '--all', '--count'), '1')
  const [question] = questionsAbout(stage, 'T-001')
  assert.equal(question?.get('diff'), '')
  await checkInvariants(stage, 'only-false-positives')
})

test('without a reason, or where the challenger does not agree or names a blocker, it is tried again with what was said, and fails [S2-19, S0-17]', async (t) => {
  const points = [{ id: 'T-004-p1', blocker: true, text: 'The other caller does.', settled: false }]
  const stage = await setMadeStage(t, 4, {
    change: (made) => {
      deny(made, 'T-002', REASON, false)
      deny(made, 'T-003', '  ', true)
      deny(made, 'T-004', REASON, true)
      change(made, 'T-004', { verdicts: [{ false_positive_agreed: true, points }] })
    },
  })
  const { result } = await stage.fix(stage.made.findings, { status: 1 })
  assert.deepEqual(ended(result?.results), [
    ['T-001', 'completed', false, undefined, 1],
    ['T-002', 'failed', false, undefined, 2],
    ['T-003', 'failed', false, undefined, 2],
    ['T-004', 'failed', false, undefined, 2],
  ])
  const [, turnedDown, unfounded, contradicted] = result?.results ?? []
  assert.equal(contradicted?.error, turnedDown?.error)
  assert.equal(turnedDown?.error, `claimed to be a false positive, and the challenger did not agree: ${REASON}`)
  assert.equal(unfounded?.error, 'no changes applied (a false positive without a reason: nobody was asked to agree)')
  assert.equal(questionsAbout(stage, 'T-003').length, 0, 'there was nothing to agree to')
  const again = stage.model.calls().find(({ role, codes }) => role === 're_fixer' && codes.includes('T-002'))
  assert.match((again && readDataBlocks(promptOf(again) ?? '').get('feedback')) ?? '', /I looked at T-002\./)
  const statuses = await stage.read((store) => store.issues.list({ status: 'failed' }))
  assert.deepEqual(statuses.map(({ issue_code }) => issue_code).sort(), ['T-002', 'T-003', 'T-004'])
  await checkInvariants(stage)
})
