// A review that did not happen as it has to is none: exit status 3, and which expert or file it was.
import assert from 'node:assert/strict'
import { appendFileSync, globSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { REVIEW, readRecord, setReviewStage } from '../support/review.ts'
import { failInWays } from '../support/review-failures.ts'
import type { E2eStage } from '../support/session.ts'

const SECRET = 'AKIAQ4ZLWTX7MBN2RHKC'

test('a review fails with the reason where an expert or a part of the change is missing [S3-1]', async (t) => {
  await failInWays(t, 'review', ['no start', 'wrong head', 'half of the files'])
})

test('review-fix ends with a review that failed, and fixes nothing', async (t) => {
  await failInWays(t, 'review-fix', ['auth', 'a finding got lost'])
})

test('a review fails where the files that it reads were changed meanwhile', async (t) => {
  const { run, stage } = await reviewBesideAChange(t, 'review_lead', 'reviewer_language')
  assert.equal(run.status, 3, run.stderr)
  assert.match(run.stdout, /the reviewers changed what they were to read: shop\/cart\.py, shop\/0 «secret:/)
  await assertFileNamesAreHidden(stage)
  await checkInvariants(stage)
})

test('what is verified while the files change stays unverified, with that reason', async (t) => {
  const { stage } = await reviewBesideAChange(t, 'review_verifier', 'review_verifier')
  const [session] = await stage.sessions()
  assert.ok(session)
  const { findings } = await readRecord(stage, session)
  const verdicts = findings.flatMap(({ verdict }) => (verdict.state === 'merged' ? [] : [verdict.reason]))
  const [reason = '', ...others] = new Set(verdicts)
  assert.deepEqual(others, [])
  assert.match(reason, /^the verifier changed what it was to read: shop\/cart\.py, shop\/0 «secret:.{200,300}…$/)
  await assertFileNamesAreHidden(stage)
  assert.ok(findings.every(({ verdict }) => ['unverified', 'merged'].includes(verdict.state)))
})

/** Where an agent may have written a secret into a name. Temporal keeps what an activity answers. */
async function assertFileNamesAreHidden(stage: E2eStage): Promise<void> {
  const [session] = await stage.sessions()
  assert.ok(session)
  // Payloads are in base64 there.
  const histories = JSON.stringify(await stage.histories(session.session_id), (name, value) =>
    name === 'data' ? Buffer.from(value, 'base64').toString() : value,
  )
  assert.deepEqual([histories.includes('shop/0 «secret:'), histories.includes(SECRET)], [true, false])
}

/** One expert's review; while the model holds back the answer to `held`, a file of the checkout changes. */
async function reviewBesideAChange(t: TestContext, held: string, seen: string) {
  const stage = await setReviewStage(t, {
    scenario: { review: REVIEW, faults: [{ match: { role: held, at: 'reply' }, fault: { kind: 'hold' } }] },
  })
  const running = stage.command('review', '--repo', stage.repository, '--experts', 'language')
  await stage.model.waitFor({ role: seen })
  const [cart = ''] = globSync(join(stage.home.sessions, '*', 'workspace', '**', 'shop', 'cart.py'))
  appendFileSync(cart, 'print("I was here")\n')
  for (const name of [`0 ${SECRET}`, ...['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(200))])
    writeFileSync(join(dirname(cart), name), '')
  stage.model.release()
  return { stage, run: await running.ended }
}
