import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProgress } from '../../../src/app/session/session-progress.ts'
import {
  fixCallCompleted,
  fixCallStarted,
  fixIssueStreaming,
} from '../../../src/domain/session/events/agent-call-events.ts'
import { fixBatchCompleted, fixBatchStarted } from '../../../src/domain/session/events/batch-events.ts'
import { fixChallengerEvaluating, fixChallengerResult } from '../../../src/domain/session/events/challenge-events.ts'
import { type NewEvent, withSessionTotal } from '../../../src/domain/session/events/index.ts'
import { fixIssueCommitted, fixIssueFailed } from '../../../src/domain/session/events/issue-events.ts'
import { fixPlanReady } from '../../../src/domain/session/events/people-events.ts'
import { fixScopeViolation } from '../../../src/domain/session/events/scope-events.ts'
import {
  fixVerificationResult,
  fixVerificationStarted,
} from '../../../src/domain/session/events/verification-events.ts'
import { fixResumed, fixWaiting } from '../../../src/domain/session/events/wait-events.ts'
import { addSession, setDesk } from '../../cli/support.ts'

const code = (n: number): string => `A-${n}`
const codesOf = (batch: number): string[] => [0, 1, 2, 3, 4].map((n) => code(batch * 5 + n))

test('of 500 findings it says after ten batches which batch it is, how many are under way and how many are to come', async (t) => {
  const desk = await setDesk(t)
  const codes = Array.from({ length: 500 }, (_, n) => code(n))
  await addSession(desk, 'fx-many', codes)
  const batches = Array.from({ length: 100 }, (_, n) => ({
    label: `BE ${n + 1}/100`,
    workload: 5,
    steps: codesOf(n).map((each) => [each]),
  }))
  const reader = readProgress(desk, 'fx-many')
  assert.equal(await reader.refresh(), undefined)
  const append = desk.store.events.append.bind(undefined, 'fx-many')
  await append([fixPlanReady(undefined, { stages: [{ batches }] as never, branch: 'fix/many' })])
  for (let n = 0; n < 10; n += 1) {
    const batch = { stepId: `s1.i1.b${n + 1}.fix`, label: `BE ${n + 1}/100`, codes: codesOf(n) }
    await append([fixBatchStarted({ ...batch, workload: 5, iteration: 1 })])
    const call = { role: 'fixer', call: batch.stepId, attempt: 1, codes: batch.codes }
    await append([fixCallStarted(call)])
    await append([
      fixIssueStreaming({
        call: call.call,
        attempt: 1,
        number: 1,
        kind: 'tool',
        text: 'Edit src/a.py',
        path: 'src/a.py',
      }),
    ])
    if (n === 9) break
    await append([
      fixCallCompleted(call, { model: 'm', models_tried: [], tokens: {}, durationMs: 1, notes: [] }),
      fixBatchCompleted({ ...batch, files: ['src/a.py'], outside: [], unchanged: [] }),
    ])
  }
  await append([fixIssueFailed({ reason: 'scored 40' } as never, { issue_code: code(0) } as never)])
  const now = await reader.refresh()
  assert.deepEqual(now?.batch, { number: 10, of: 100, label: 'BE 10/100' })
  assert.deepEqual(
    [now?.agent, now?.doing, now?.codes, now?.last_tool, now?.last_path],
    ['fixer', 'fixing', codesOf(9), 'Edit src/a.py', 'src/a.py'],
  )
  assert.deepEqual(now?.issues, {
    total: 500,
    to_come: 450,
    in_work: 5,
    judged: 44,
    resolved: 0,
    failed: 1,
    skipped: 0,
  })
})

test('a lane whose next step the wait of another lane holds back says what it waits for', async (t) => {
  const desk = await setDesk(t)
  const codes = ['A-1', 'A-2', 'A-3']
  await addSession(desk, 'fx-held', codes)
  const append = (lane: number, ...events: readonly NewEvent[]) =>
    desk.store.events.append(
      'fx-held',
      events.map((event) => withSessionTotal(event, { cost_usd: 0, tokens: 0 }, lane)),
    )
  const batchOf = (n: number) => ({ stepId: `s${n}.i1.b1.fix`, label: `BE ${n}/3`, codes: [`A-${n}`] })
  const end = (n: number, files: string[]) => fixBatchCompleted({ ...batchOf(n), files, outside: [], unchanged: [] })
  for (const n of [1, 2, 3]) await append(n, fixBatchStarted({ ...batchOf(n), workload: 1, iteration: 1 }))
  await append(3, fixCallStarted({ role: 'fixer', call: batchOf(3).stepId, attempt: 1, codes: ['A-3'] }))
  const limit = { kind: 'limit', reason: 'the usage limit', since: 0 } as const
  await append(1, end(1, []), fixWaiting('s1.i1.b1.fix.wait1', limit))
  await append(2, end(2, []))
  const reader = readProgress(desk, 'fx-held')
  const doing = async () => (await reader.refresh())?.lanes.map((lane) => lane.agent ?? lane.doing)
  assert.deepEqual(await doing(), ['waiting for the usage limit', 'waiting for the usage limit', 'fixer'])
  assert.equal((await reader.refresh())?.issues.judged, 0, 'a call without changes has fixed nothing')
  await append(1, fixResumed({ stepId: 's1.i1.b1.fix.wait1.resumed', reason: 'the usage limit' }))
  assert.deepEqual(await doing(), ['going on', 'looking at the changes', 'fixer'])
  const outside = [{ path: 'x', why: 'it is outside', codes: ['A-2'] }]
  const scope = { kind: 'scope', reason: 'a decision about 1 changed file', since: 0 } as const
  await append(1, fixWaiting('s1.i1.b1.fix.scope.wait', scope))
  await append(2, fixScopeViolation({ stepId: batchOf(2).stepId, violations: [], codes: [], outside }))
  assert.deepEqual((await doing())?.slice(0, 2), [
    'waiting for a decision about 1 changed file',
    'waiting to ask until lane 1 has its answer',
  ])
})

test('of several lanes it says what each does, on which batch, and what waits to land', async (t) => {
  const desk = await setDesk(t)
  const codes = ['A-1', 'A-2', 'A-3']
  await addSession(desk, 'fx-lanes', codes)
  const batches = codes.map((each, n) => ({ label: `BE ${n + 1}/3`, workload: 1, steps: [[each]] }))
  const append = (lane: number | undefined, ...events: readonly NewEvent[]) =>
    desk.store.events.append(
      'fx-lanes',
      events.map((event) => withSessionTotal(event, { cost_usd: 0, tokens: 0 }, lane)),
    )
  await append(undefined, fixPlanReady(undefined, { stages: [{ batches }] as never, branch: 'fix/lanes' }))
  const callOf = (n: number) => ({ role: 'fixer', call: `s${n}.i1.b1.fix`, attempt: 1, codes: [`A-${n}`] })
  for (const n of [1, 2]) {
    const batch = { stepId: callOf(n).call, label: `BE ${n}/3`, codes: callOf(n).codes }
    await append(n, fixBatchStarted({ ...batch, workload: 1, iteration: n }), fixCallStarted(callOf(n)))
  }
  const tool = { call: callOf(1).call, attempt: 1, number: 1, kind: 'tool', text: 'Edit a.py', path: 'a.py' } as const
  await append(1, fixIssueStreaming(tool))
  const reader = readProgress(desk, 'fx-lanes')
  const first = await reader.refresh()
  assert.deepEqual(
    first?.lanes.map(({ lane, batch, attempt, agent, last_tool }) => [lane, batch.number, attempt, agent, last_tool]),
    [
      [1, 1, 1, 'fixer', 'Edit a.py'],
      [2, 2, 2, 'fixer', null],
    ],
  )
  await append(2, fixCallCompleted(callOf(2), { model: 'm', models_tried: [], tokens: {}, durationMs: 1, notes: [] }))
  const place = { stepId: 's2.fresh1', iteration: 2, onBase: false, inFreshCheckout: true }
  await append(2, fixVerificationStarted({ ...place, commands: ['make'], tree: 'abc' }))
  assert.equal((await reader.refresh())?.lanes[1]?.doing, 'verifying')
  await append(2, fixVerificationResult({ ...place, verdict: 'passed', runs: [] }))
  const passed = (await reader.refresh())?.lanes[1]
  assert.deepEqual([passed?.doing, passed?.lands], ['passed, waits to land', true])
  const judge = (n: number, solved: boolean) => {
    const about = { issue_code: `A-${n}` } as never
    const result = {
      kind: 'score',
      score: solved ? 97 : 60,
      solved,
      feedback: '',
      blockers: [],
      improvements_needed: [],
    } as never
    const evaluating = { stepId: `s${n}.i1.challenge`, codes: [`A-${n}`], tree: 'abc', diff_characters: 1 }
    return append(n, fixChallengerEvaluating(evaluating.stepId, evaluating), fixChallengerResult('s', result, about))
  }
  await judge(1, false)
  await judge(2, true)
  assert.deepEqual(
    (await reader.refresh())?.lanes.map(({ lands }) => lands),
    [false, true],
  )
  await append(2, fixIssueCommitted({ codes: ['A-2'], subject: 'A-2' } as never, {} as never))
  assert.deepEqual(
    (await reader.refresh())?.lanes.map(({ lane }) => lane),
    [1],
  )
})
