// The default profile on real work: twelve findings over ten files in two languages, and every way that an issue can end in.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { biggestPayload, segmentsOf } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { amends, attempts, bash, change, wrongEdit } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const TYPES = `fix_session_started fix_issue_started fix_issue_validating fix_issue_generating fix_issue_streaming
  fix_challenger_evaluating fix_challenger_result fix_issue_committed fix_issue_completed fix_session_completed`

test('twelve findings in two languages each end as their script says [S0-3, S0-9, S0-10, S0-11, S0-15, S1-8, S2-1, S2-5, S2-12, S2-14, S2-15, S2-19, S2-20, S2-24, S2-25, S2-30, C10]', {
  timeout: 300_000,
}, async (t) => {
  const stage = await setMadeStage(t, 12, {
    change: (made) => {
      // BE 1/2: one is wrong at first, one for ever. BE 2/2: the fixer itself crashes, each time.
      attempts(made, 'T-002', [wrongEdit(made, 'T-002')], amends(made, 'T-002'))
      attempts(made, 'T-005', [wrongEdit(made, 'T-005')])
      attempts(made, 'T-006', [bash('kill -SEGV $PPID; sleep 20')])
      // FE 1/2: one is only claimed; two share a file, and one of them is never right.
      change(made, 'T-008', { fixes: [{ summary: 'Nothing to do here.' }] })
      attempts(made, 'T-010', [wrongEdit(made, 'T-010')])
    },
  })
  const { result, stdout } = await stage.fix(stage.made.findings, { status: 1 })
  assert.ok(result, stdout)
  const { results } = result
  const ended = (status: string) => results.filter((each) => each.status === status).map((each) => each.issue_code)
  assert.deepEqual(ended('completed'), ['T-001', 'T-002', 'T-003', 'T-004', 'T-007', 'T-009', 'T-011', 'T-012'])
  assert.deepEqual(ended('failed'), ['T-005', 'T-006', 'T-008', 'T-010'])
  assert.deepEqual(
    [result.status, result.issues_requested, result.issues_fixed, result.issues_failed, result.issues_skipped],
    ['partial', 12, 8, 4, 0],
  )
  const of = (code: string) => {
    const found = results.find(({ issue_code }) => issue_code === code)
    assert.ok(found)
    return found
  }
  assert.deepEqual([of('T-001').iterations, of('T-002').iterations, of('T-009').iterations], [1, 2, 1])
  assert.match(of('T-005').error ?? '', /scored 45/)
  assert.match(of('T-008').error ?? '', /no changes applied/)

  // A commit for each issue, also where two share a file, in order, on a branch from main that is named after the work.
  assert.equal(result.branch_name, 'fix/last-page-is-dropped-in-last-page-000-and-11-more')
  assert.deepEqual(
    result.commits.map(({ issue_codes }) => issue_codes),
    [['T-001'], ['T-002'], ['T-003'], ['T-004'], ['T-007'], ['T-009'], ['T-011'], ['T-012']],
  )
  assert.equal(stage.git('rev-parse', `${result.branch_name}~8`), stage.git('rev-parse', 'main'))
  assert.match(stage.git('show', `${result.branch_name}:web/part-008.js`), /size - count \)?|Math.max/)
  assert.doesNotMatch(
    stage.git('show', `${result.branch_name}:web/part-008.js`),
    /\(Math\.floor/,
    'the wrong half is taken back',
  )

  const one = of('T-002')
  assert.deepEqual(one.fix_files_modified, ['ledger/part_001.py'])
  assert.ok(one.fix_code && one.fix_code.length <= 500 && one.fix_code.includes('count >= size'))
  assert.deepEqual([one.fix_self_score, one.fix_gemini_score, one.false_positive], [90, 97, false])
  assert.equal(one.weighted_score, 97)
  assert.ok(
    one.commit_message?.includes('T-002') && one.changes_made !== undefined && one.fix_explanation !== undefined,
  )
  assert.ok(result.cost_usd > 0 && result.duration_ms > 0)

  const [issue] = await stage.read((store) => store.issues.list({ issue_code: 'T-002' }))
  assert.ok(issue)
  assert.deepEqual(
    [issue.status, issue.fix_commit_sha, issue.fix_branch, issue.fix_files_modified, issue.fix_code],
    ['resolved', one.commit_sha, result.branch_name, one.fix_files_modified, one.fix_code],
  )

  const events = await stage.events(result.session_id)
  const types = new Set<string>(events.map(({ type }) => type))
  for (const type of TYPES.split(/\s+/)) assert.ok(types.has(type), `${type} was told`)
  const committed = events.find(({ type, issue_code }) => type === 'fix_issue_committed' && issue_code === 'T-002')
  assert.ok(committed)
  assert.deepEqual(
    [committed.session_id, committed.issue_id, committed.issue_index, committed.total_issues, committed.commit_sha],
    [result.session_id, issue.issue_id, 2, 12, one.commit_sha],
  )
  assert.match(committed.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
  const batches = events.filter(({ type }) => type === 'fix_batch_started').map(({ message }) => message)
  assert.deepEqual(
    batches.map((message) => message.split(' · ').slice(0, 2).join(' · ')),
    [
      'BE Batch 1/2 · workload 9',
      'BE Batch 1/2 · workload 9',
      'BE Batch 2/2 · workload 3',
      'BE Batch 2/2 · workload 3',
      ...Array(2).fill('FE Batch 1/2 · workload 9'),
      'FE Batch 2/2 · workload 3',
    ],
  )

  // One call at a time, each with the guidelines of its kind.
  const calls = stage.model.calls().filter(({ role }) => role !== 'auxiliary')
  const spans = Map.groupBy(calls, ({ call }) => call)
  const times = [...spans.values()].map((all) => [all[0]?.startedAt ?? 0, all.at(-1)?.endedAt ?? 0] as const)
  assert.ok(
    times.every(([start], index) => start >= (times[index - 1]?.[1] ?? 0)),
    'no two agents at once',
  )
  const guidelines = (kind: string) =>
    readFileSync(join(packageRoot(), 'agents', `dev_${kind}.md`), 'utf8')
      .split('\n')
      .at(-2)
  for (const [code, kind] of [
    ['T-001', 'be'],
    ['T-007', 'fe'],
  ] as const) {
    const asked = calls.filter(({ role, codes, step }) => role === 'fixer' && codes.includes(code) && step === 0)
    assert.equal(asked.length, 1, 'one call for the whole batch')
    assert.ok(asked[0] && promptOf(asked[0])?.includes(guidelines(kind) ?? '?'), `dev_${kind}.md is in the prompt`)
  }

  const histories = await stage.histories(result.session_id)
  assert.ok(biggestPayload(histories) <= 16 * 1024, `the biggest payload has ${biggestPayload(histories)} bytes`)
  for (const { summary, activities, events: count } of segmentsOf(histories)) {
    assert.ok(activities <= 5 && count <= 40, `${summary}: ${activities} activities, ${count} events`)
  }
  await checkInvariants(stage, 'twelve-findings')
})
