// Reviews and votes as orders of somebody with a connection to Temporal alone, and of scripts with a home.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFixwright } from '../../src/app/index.ts'
import { createSessionClient, RefusedError } from '../../src/client/index.ts'
import { keepHistories } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { REVIEW, setReviewStage } from '../support/review.ts'
import { until } from '../support/until.ts'

const MEAN_OF_NOTHING = {
  fixes: [
    {
      steps: [
        {
          tool: 'edit' as const,
          file: 'shop/cart.py',
          old: 'def mean(items):\n',
          new: 'def mean(items):\n    if not items:\n        return 0\n',
        },
      ],
    },
  ],
  scores: [97],
}

test('a review, a review-fix and votes are ordered through Temporal alone, watched, joined and cancelled, and return what they came to', async (t) => {
  const stage = await setReviewStage(t, {
    server: 'own',
    attempts: 1,
    scenario: {
      votes: { claude: { vote: 85 }, gemini: { vote: 60 } },
      issues: { F001: MEAN_OF_NOTHING, F002: MEAN_OF_NOTHING },
      faults: [{ match: { role: 'reviewer_spec' }, fault: { kind: 'hang' } }],
    },
  })
  const up = stage.command('up')
  await up.says(/up until Ctrl-C/)
  const orders = createSessionClient(await stage.client())
  const { repository } = stage
  const change = { repository, base: 'main', head: 'feature' }
  const experts = ['language' as const]

  const refused = async (ordering: Promise<{ result(): Promise<unknown> }>, code: string, says: RegExp) => {
    const handle = await ordering
    await assert.rejects(handle.result(), (error: Error) => {
      assert.ok(error instanceof RefusedError, error.message)
      assert.equal(error.code, code)
      assert.match(error.message, says)
      return true
    })
  }
  await refused(orders.review({ ...change, findings: [] } as never), 'bad_input', /Unrecognized key: "findings"/)
  await refused(orders.review({ ...change, head: 'nowhere' }), 'repository_unusable', /no commit "nowhere"/)
  await refused(orders.reviewPr({ ...change, head: 'main' }), 'repository_unusable', /nothing that main lacks/)
  const settings = { 'claude.command': 'mine' }
  await refused(orders.reviewFix({ ...change, settings }), 'settings_invalid', /an order may not set this/)
  assert.deepEqual(await stage.sessions(), [])

  const review = await orders.review({ ...change, experts, import: true })
  const { review: counts, status } = await review.result()
  assert.deepEqual(
    [status, counts],
    ['completed', { confirmed: 1, refuted: 1, unverified: 0, merged: 1, notReviewed: 0 }],
  )

  const votes = await orders.reviewPr(change)
  assert.deepEqual((await votes.result()).votes, { verdict: 'not_approved', mean: 72.5 })

  const fixing = await orders.reviewFix({ ...change, experts })
  const fixed = await fixing.result()
  assert.deepEqual([fixed.requested, fixed.fixed, fixed.review?.confirmed], [1, 1, 1])
  assert.match(stage.git('log', '-1', '--format=%B', (await fixing.view()).branch ?? ''), /Fixwright-Issue/)

  // One that hangs: it is shown, joined by whoever orders the same, and ended by either.
  const hanging = await orders.review({ ...change, spec: 'specs/shop', experts: ['spec'] })
  await stage.model.waitFor({ role: 'reviewer_spec' })
  const { sessionId, phase } = await hanging.view()
  assert.notEqual(sessionId, '', phase)
  const other = await orders.review({ ...change, spec: 'specs/shop', experts: ['spec'] }, { workflowId: 'mine' })
  await until('the second order has joined', async () => (await other.view()).sessionId === sessionId)
  assert.equal((await other.cancel({ reason: 'not now' })).kind, 'taken')
  const cancelled = await hanging.result()
  assert.deepEqual([cancelled.status, cancelled.review], ['cancelled', undefined])
  await keepHistories(stage, 'review-orders')
  up.child.kill('SIGINT')
  await up.ended
  const report = await stage.command('report', sessionId, '--format', 'md').ended
  assert.match(report.stdout, /nothing is known of the change/i)
  await checkInvariants(stage)
})

test('a script with a home starts each of them, waits for it, and reads its report', async (t) => {
  const stage = await setReviewStage(t, {
    attempts: 1,
    scenario: {
      review: { experts: { language: REVIEW.experts?.language ?? {} }, verdicts: REVIEW.verdicts ?? {} },
      votes: { claude: { vote: 95 }, gemini: { vote: 90 } },
      issues: { F001: MEAN_OF_NOTHING },
    },
  })
  const fixwright = await openFixwright({ env: stage.environment })
  t.after(() => fixwright.close())
  const change = { repository: stage.repository, base: 'main', head: 'feature' }
  const ended = async (starting: ReturnType<typeof fixwright.review>) => {
    const begun = await starting
    assert.ok(begun.kind === 'started', JSON.stringify(begun))
    await fixwright.wait(begun.session)
    return begun.session
  }
  const reviewed = await ended(fixwright.review({ ...change, experts: ['language'] }))
  assert.equal((await fixwright.result(reviewed))?.review?.confirmed, 1)
  assert.match(await fixwright.report(reviewed, 'md'), /## Confirmed/)
  const voted = await ended(fixwright.reviewPr(change))
  assert.equal((await fixwright.result(voted))?.votes?.verdict, 'approved')
  assert.match(await fixwright.report(voted, 'md'), /^# Approved/)
  const fixed = await ended(fixwright.reviewFix({ ...change, experts: ['language'] }))
  assert.equal((await fixwright.result(fixed))?.findings?.fixed, 1)
  const refused = await fixwright.review({ ...change, head: 'main' })
  assert.deepEqual([refused.kind, 'code' in refused && refused.code], ['refused', 'nothing_to_review'])
  await fixwright.close()
  await checkInvariants(stage)
})
