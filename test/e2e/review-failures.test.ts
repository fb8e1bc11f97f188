// The ways in which a reviewer can fail: none passes for a review, and each says which it was.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FaultInput } from '../../rehearsal/faults.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { REVIEW, setReviewStage } from '../support/review.ts'

test('a review fails in each way in which a reviewer can fail, says which it was, and is never green [S3-1]', {
  timeout: 600_000,
}, async (t) => {
  const stage = await setReviewStage(t)
  const crash = join(stage.folder, 'crash.sh')
  writeFileSync(crash, '#!/bin/sh\nexec "$0.real" "$@"\n', { mode: 0o755 })
  writeFileSync(
    `${crash}.real`,
    '#!/bin/sh\ncase "$*" in *--version*) echo 2.1.327;; *) echo broken >&2; exit 7;; esac\n',
    {
      mode: 0o755,
    },
  )
  const lead = (fault: FaultInput['fault']): ScenarioInput => ({
    review: REVIEW,
    faults: [{ match: { role: 'review_lead', at: 'reply' as const }, fault }],
  })
  const reply = (fields: Record<string, unknown>): ScenarioInput => ({ review: { ...REVIEW, replies: [fields] } })
  const template = {
    head: '…',
    experts: [{ name: '…', read: ['path'], found: ['id'] }],
    reviewed: ['path'],
    groups: [],
  }
  const WAYS: readonly (readonly [what: string, scenario: ScenarioInput, says: RegExp, args?: readonly string[]])[] = [
    ['no start', { review: { ...REVIEW, skips: ['language'] } }, /language was never started/],
    ['crash', {}, /broken|status 7|exit/i, ['--set', `claude.command=${crash}`]],
    [
      'limit',
      lead({ kind: 'http', preset: 'rate-limit' }),
      /limit/i,
      ['--set', 'limit_wait.give_up_after_seconds=1', '--set', 'limit_wait.backoff_min_seconds=1'],
    ],
    ['auth', lead({ kind: 'http', preset: 'unauthorized' }), /key|401|access/i],
    ['time-out', lead({ kind: 'hang' }), /time|deadline|seconds/i, ['--set', 'claude.timeout_seconds=4']],
    [
      'sub-agent cut off',
      {
        review: REVIEW,
        faults: [{ match: { role: 'reviewer_language' }, fault: { kind: 'http', preset: 'server-error' } }],
      },
      /language (failed|was cut off|gave no readable report)/,
    ],
    ['empty', lead({ kind: 'text', preset: 'empty' }), /empty|no JSON|can't be used/],
    ['prose', lead({ kind: 'text', preset: 'prose' }), /no JSON object|can't be used/],
    [
      'prose of an expert',
      {
        review: REVIEW,
        faults: [{ match: { role: 'reviewer_language', at: 'reply' }, fault: { kind: 'text', preset: 'prose' } }],
      },
      /language gave no readable report/,
    ],
    ['echo of the template', reply(template), /language is not named in the reply/],
    ['wrong head', reply({ head: 'b'.repeat(40) }), /it reviewed bbbb/],
    ['half of the files', reply({ reviewed: ['shop/cart.py'] }), /of 6 changed files are neither/],
    ['a finding got lost', reply({ groups: [] }), /language's findings .* missing/],
  ]
  for (const [what, scenario, says, args = []] of WAYS) {
    stage.model.setScenario(scenario)
    const run = await stage.command('review', '--repo', stage.repository, '--experts', 'language', ...args).ended
    assert.equal(run.status, 3, `${what}: ${run.status}\n${run.stderr}\n${run.stdout}`)
    assert.match(run.stdout, /nothing is known of the change/, what)
    assert.match(run.stdout, says, what)
    assert.doesNotMatch(run.stdout, /0 confirmed|nothing found/i, what)
  }
  const sessions = await stage.sessions()
  assert.deepEqual([...new Set(sessions.map(({ status }) => status))], ['failed'])
})
