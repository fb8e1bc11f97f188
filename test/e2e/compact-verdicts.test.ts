// Many issues with short verdicts that all say the same: what repeats itself in an answer is no loop that ends it. The CLI's detector
// takes it for one where a verdict says its one sentence twice, as feedback and as improvement.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelCalls } from '../../rehearsal/model-calls.ts'
import { checkInvariants } from '../support/invariants.ts'
import { change } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const REMARK = 'It is right; a test that fails without the change would show it.'
const COMPACT = { feedback: REMARK, improvements_needed: [REMARK], points: [], quality_scores: { correctness: 97 } }

for (const profile of ['one-call', 'sequential']) {
  test(`fifteen issues with compact verdicts end well in profile ${profile}`, async (t) => {
    const stage = await setMadeStage(t, 15, {
      scenario: { together: true },
      change: (made) => {
        for (const { issue_code } of made.findings.issues) change(made, issue_code, { verdicts: [COMPACT] })
      },
    })
    const { result } = await stage.fix(stage.made.findings, { args: ['--profile', profile] })
    assert.deepEqual([result?.status, result?.issues_fixed], ['completed', 15])
    const challenges = modelCalls(stage.model.calls()).filter(({ role }) => role === 'fix_challenger')
    assert.equal(challenges.length, 1, 'one verdict on all of them, and none asked for again')
    await checkInvariants(stage)
  })
}
