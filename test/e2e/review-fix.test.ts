// The profile review-fix over findings that are there: one call for all, and each finding ends as fixed or with the reason why not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { bash, change } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

test('what is blocked is asked about once, what does not pass three times, and the rest is committed [S3-9, S3-11, S3-12, S3-13]', {
  timeout: 300_000,
}, async (t) => {
  const stage = await setMadeStage(t, 3, {
    change: (made) => {
      change(made, 'T-002', {
        fixes: [{ status: 'blocked', summary: 'It needs a licence that only a person can buy.' }],
      })
      const file = made.findings.issues[2]?.file
      const attempts = ['one', 'two', 'three', 'four'].map((word) => ({ steps: [bash(`echo '# ${word}' >> ${file}`)] }))
      change(made, 'T-003', { fixes: attempts, scores: [50, 60, 70, 97] })
    },
  })
  const { result } = await stage.fix(stage.made.findings, { args: ['--profile', 'review-fix'], status: 1 })
  assert.deepEqual(
    result?.results.map(({ issue_code, status, iterations }) => [issue_code, status, iterations]),
    [
      ['T-001', 'completed', 1],
      ['T-002', 'failed', 1],
      ['T-003', 'failed', 3],
    ],
  )
  const [, blocked, deferred] = result?.results.map(({ error }) => error ?? '') ?? []
  assert.match(blocked ?? '', /^blocked: .*only a person can buy/)
  assert.match(deferred ?? '', /^blocked after 3 attempts: 1\. a change that did not pass; 2\. .*; 3\. /)
  const asked = stage.model.calls().filter(({ role, agent, step }) => /fixer$/.test(role) && !agent && step === 0)
  assert.deepEqual(
    asked.map(({ codes }) => codes),
    [['T-001', 'T-002', 'T-003'], ['T-003'], ['T-003']],
  )
  await checkInvariants(stage, 'review-fix')
})
