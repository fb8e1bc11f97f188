import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProgress } from '../../../src/app/session/session-progress.ts'
import {
  fixCallCompleted,
  fixCallStarted,
  fixIssueStreaming,
} from '../../../src/domain/session/events/agent-call-events.ts'
import { fixBatchCompleted, fixBatchStarted } from '../../../src/domain/session/events/batch-events.ts'
import { fixIssueFailed } from '../../../src/domain/session/events/issue-events.ts'
import { fixPlanReady } from '../../../src/domain/session/events/people-events.ts'
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
