// A review that did not happen as it has to is none: exit status 3, and which expert or file it was.
import assert from 'node:assert/strict'
import { appendFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { setReviewStage } from '../support/review.ts'
import { failInWays } from '../support/review-failures.ts'

test('a review fails with the reason where an expert or a part of the change is missing [S3-1]', async (t) => {
  await failInWays(t, 'review', ['no start', 'wrong head', 'half of the files'])
})

test('review-fix ends with a review that failed, and fixes nothing', async (t) => {
  await failInWays(t, 'review-fix', ['auth', 'a finding got lost'])
})

test('a review fails where the files that it reads were changed meanwhile', async (t) => {
  const stage = await setReviewStage(t, {
    scenario: { faults: [{ match: { role: 'review_lead', at: 'reply' }, fault: { kind: 'hold' } }] },
  })
  const running = stage.command('review', '--repo', stage.repository, '--experts', 'language')
  await stage.model.waitFor({ role: 'reviewer_language' })
  const [cart = ''] = globSync(join(stage.home.sessions, '*', 'workspace', '**', 'shop', 'cart.py'))
  appendFileSync(cart, 'print("I was here")\n')
  stage.model.release()
  const run = await running.ended
  assert.equal(run.status, 3, run.stderr)
  assert.match(run.stdout, /the reviewers changed what they were to read: shop\/cart\.py/)
  await checkInvariants(stage)
})
