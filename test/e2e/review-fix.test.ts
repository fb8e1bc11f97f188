// review-fix, over findings that are there and over those of a review: one call for all, and each ends as fixed or with the reason why not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGitHub, TOKEN } from '../support/github.ts'
import { keepHistories } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { REVIEW, readRecord, setReviewStage } from '../support/review.ts'
import { bash, change } from '../support/scripting.ts'
import { gitAt, setMadeStage } from '../support/session.ts'
import { startTokenHunt } from '../support/token-hunt.ts'

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
  assert.match(deferred ?? '', /^blocked after 3 attempts: 1\. the challenger gives it 50; 2\. .*; 3\. /)
  const asked = stage.model.calls().filter(({ role, agent, step }) => /fixer$/.test(role) && !agent && step === 0)
  assert.deepEqual(
    asked.map(({ codes }) => codes),
    [['T-001', 'T-002', 'T-003'], ['T-003'], ['T-003']],
  )
  await checkInvariants(stage, 'review-fix')
})

test('review-fix reviews, fixes what was confirmed in the groups of the reviewers, and leaves a record of the rest [S3-5] [S3-6] [S3-10] [S3-14] [S3-15] [S3-16] [S3-17] [C1] [C15] [C16]', async (t) => {
  const stage = await setReviewStage(t, {
    attempts: 1,
    environment: { GH_ENTERPRISE_TOKEN: TOKEN },
    scenario: {
      review: {
        ...REVIEW,
        verdicts: { ...REVIEW.verdicts, 'the flag is still read': { verdict: 'confirmed' } },
      },
      issues: {
        // In the order of file and line: the crash in cart.py, then the flag of the deleted file, then the rate.
        F002: {
          fixes: [
            {
              steps: [
                {
                  tool: 'edit',
                  file: 'shop/cart.py',
                  old: 'def mean(items):\n',
                  new: 'def mean(items):\n    if not items:\n        return 0\n',
                },
              ],
            },
          ],
          scores: [97],
        },
        F005: { fixes: [{ status: 'blocked', summary: 'The rate is out of scope of this change.' }] },
      },
    },
  })
  const refused = await stage.command('review-fix', '--repo', stage.repository, '--create-issues').ended
  assert.equal(refused.status, 2)
  assert.match(refused.stderr, /has no remote on github\.com \(github\.host\)/)
  assert.equal(stage.model.calls().length, 0, 'nothing was paid')

  const github = await startGitHub(t, { from: stage.repository })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN], github })
  const host = ['--set', `github.host=${github.host}`]
  const args = ['--repo', stage.repository, '--base', 'main', '--spec', 'specs/shop', '--create-issues', ...host]
  const run = await stage.command('review-fix', ...args).ended
  assert.equal(run.status, 1, run.stderr + run.stdout)
  const [session] = await stage.sessions()
  assert.ok(session)
  const record = await readRecord(stage, session)
  const aliases = Object.fromEntries(record.findings.map(({ id, alias }) => [id, alias]))
  assert.deepEqual(
    session.result?.results.map(({ issue_code, status, iterations }) => [aliases[issue_code], status, iterations]),
    [
      ['language-1', 'completed', 1],
      // Its file is gone in the reviewed commit, so nobody was asked.
      ['be-quality-2', 'failed', 0],
      ['spec-1', 'failed', 1],
    ],
  )
  const { leftovers = [], ...counts } = session.result?.findings ?? {}
  assert.deepEqual(counts, { total: 3, fixed: 1, blocked: 2, deferred: 0, untried: 0, dismissed: 0 })
  assert.deepEqual(
    leftovers.map(({ reason, attempts, excuses }) => [reason, attempts.length, excuses]),
    [
      ['shop/gone.py is not there any more', 0, []],
      ['blocked: The rate is out of scope of this change.', 1, ['out of scope']],
    ],
  )
  assert.deepEqual(session.plan?.stages[0]?.batches[0]?.steps, [['F002'], ['F005'], ['F004']], 'group by group')

  const calls = stage.model.calls().filter(({ step, agent }) => step === 0 && !agent)
  const roles = calls.map(({ role }) => role).filter((role) => role !== 'auxiliary')
  assert.equal(roles.filter((role) => role === 'review_lead').length, 1, 'no second review')
  assert.deepEqual(
    calls.filter(({ role }) => role === 'fixer').map(({ codes }) => codes),
    [['F002', 'F005']],
  )
  const head = gitAt(stage.repository, ['rev-parse', 'HEAD']).trim()
  assert.equal(
    gitAt(stage.repository, ['rev-parse', `${session.branch_name}^`]).trim(),
    head,
    'one commit on the reviewed one',
  )

  assert.match(
    run.stdout,
    /F005 blocked · high · would be created as: shop\/new_name\.py:1: the rate is not the one agreed/,
  )
  const { items, problems } = await github.state()
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ title, body }) => [title.replace(/:.*/, ''), /issue=\S+:(F\d+) v=1/.exec(body)?.[1]]),
    [
      ['shop/gone.py', 'F004'],
      ['shop/new_name.py', 'F005'],
    ],
    'one issue for each that is left, none for what is fixed',
  )
  assert.match(items[1]?.body ?? '', /\*\*blocked\*\*[\s\S]*sound like "out of scope"/)
  assert.match(run.stdout, /created for \S+:F004: http[\s\S]*created for \S+:F005: http/)
  const again = stage.command('leftovers', session.session_id, '--create', ...host)
  assert.match((await again.ended).stdout, /there before for \S+:F004, open/)
  assert.equal((await github.state()).items.length, 2)
  await hunt.end()
  const stored = JSON.parse((await stage.command('leftovers', session.session_id, '--json').ended).stdout)
  assert.deepEqual(
    stored.leftovers.map(({ issue }: { issue: { key: string } }) => issue.key),
    ['F004', 'F005'].map((code) => `${session.session_id}:${code}`),
  )
  const report = async (format: string) =>
    (await stage.command('report', session.session_id, '--format', format).ended).stdout
  assert.match(await report('md'), /## Left over[\s\S]*## Unverified[\s\S]*## Refuted/)
  assert.equal(JSON.parse(await report('json')).findings.leftovers.length, 2)
  assert.equal(JSON.parse(await report('sarif')).runs[0].results.length, 6)
  assert.match((await stage.command('list').ended).stdout, /1\/3/)
  assert.match((await stage.command('status', session.session_id).ended).stdout, /review-fix/)
  await checkInvariants(stage)
  await keepHistories(stage, 'review-fix-command')
})
