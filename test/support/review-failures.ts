// The ways in which a reviewer can fail, each with what is said of it. None passes for a review.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { FaultInput } from '../../rehearsal/faults.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { REVIEW, setReviewStage } from './review.ts'

interface Way {
  readonly scenario: ScenarioInput
  readonly says: RegExp
  readonly args?: readonly string[]
}

function lead(fault: FaultInput['fault']): ScenarioInput {
  return { review: REVIEW, faults: [{ match: { role: 'review_lead', at: 'reply' }, fault }] }
}

function expert(fault: FaultInput['fault']): ScenarioInput {
  return { review: REVIEW, faults: [{ match: { role: 'reviewer_language' }, fault }] }
}

function reply(fields: Record<string, unknown>): ScenarioInput {
  return { review: { ...REVIEW, replies: [fields] } }
}

const TEMPLATE = { head: '…', experts: [{ name: '…', read: ['path'], found: ['id'] }], reviewed: ['path'], groups: [] }

export const WAYS = {
  'no start': { scenario: { review: { ...REVIEW, skips: ['language'] } }, says: /language was never started/ },
  'sub-agent cut off': {
    scenario: expert({ kind: 'http', preset: 'prompt-too-long' }),
    says: /language (failed|was cut off|gave no readable report)/,
  },
  'wrong head': { scenario: reply({ head: 'b'.repeat(40) }), says: /it reviewed bbbb/ },
  'half of the files': { scenario: reply({ reviewed: ['shop/cart.py'] }), says: /of 6 changed files are neither/ },
  crash: { scenario: {}, says: /broken|status 7|exit/i, args: ['--set', 'claude.command=CRASH'] },
  limit: {
    scenario: lead({ kind: 'http', preset: 'rate-limit' }),
    says: /limit/i,
    args: ['--set', 'limit_wait.give_up_after_seconds=1', '--set', 'limit_wait.backoff_min_seconds=1'],
  },
  auth: { scenario: lead({ kind: 'http', preset: 'unauthorized' }), says: /key|401|access/i },
  'time-out': {
    scenario: lead({ kind: 'hang' }),
    says: /no answer within 4 s/,
    args: ['--set', 'claude.timeout_seconds=4'],
  },
  empty: { scenario: lead({ kind: 'text', preset: 'empty' }), says: /asked twice/ },
  prose: { scenario: lead({ kind: 'text', preset: 'prose' }), says: /asked twice/ },
  'prose of an expert': {
    scenario: expert({ kind: 'text', preset: 'prose' }),
    says: /language gave no readable report/,
  },
  'echo of the template': { scenario: reply(TEMPLATE), says: /language is not named in the reply/ },
  'a finding got lost': { scenario: reply({ groups: [] }), says: /language's findings .* missing/ },
} as const satisfies Readonly<Record<string, Way>>

/** Through `review`, or through `review-fix`, which then has nothing to fix. */
export async function failInWays(
  t: TestContext,
  command: 'review' | 'review-fix',
  names: readonly (keyof typeof WAYS)[],
): Promise<void> {
  const stage = await setReviewStage(t)
  const crash = join(stage.folder, 'crash.sh')
  const script = 'case "$*" in *--version*) echo 2.1.327;; *) echo broken >&2; exit 7;; esac'
  writeFileSync(crash, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  for (const name of names) {
    const { scenario, says, args = [] }: Way = WAYS[name]
    stage.model.setScenario(scenario)
    const own = args.map((arg) => arg.replace('CRASH', crash))
    const run = await stage.command(command, '--repo', stage.repository, '--experts', 'language', ...own).ended
    assert.equal(run.status, 3, `${name}: ${run.status}\n${run.stderr}\n${run.stdout}`)
    assert.match(run.stdout, /nothing is known of the change/, name)
    assert.match(run.stdout, says, name)
    assert.doesNotMatch(run.stdout, /0 confirmed|nothing found/i, name)
  }
  const sessions = await stage.sessions()
  assert.deepEqual([...new Set(sessions.map(({ status }) => status))], ['failed'])
  assert.deepEqual([...new Set(sessions.map(({ ending }) => ending?.code))], ['review_failed'])
  assert.ok(!stage.model.calls().some(({ role }) => /fixer/.test(role)), 'nothing is fixed')
  assert.equal(stage.git('branch', '--format=%(refname:short)').trim(), 'feature\nmain')
}
