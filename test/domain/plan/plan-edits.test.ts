import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PlanEdit } from '../../../src/domain/people/message-schemas.ts'
import type { Stage } from '../../../src/domain/plan/plan.ts'
import {
  applyPlanEdits,
  listOrderRemarks,
  listPlannerRemarks,
  truncatePlan,
} from '../../../src/domain/plan/plan-edits.ts'
import { PlanReply } from '../../../src/domain/stage/reply-schemas.ts'

const ALL = [
  { issue_code: 'A', file: 'x.py' },
  { issue_code: 'B', file: 'x.py' },
  { issue_code: 'C', file: 'y.py' },
]

const edit = (more: Partial<PlanEdit>): PlanEdit => ({ drop: [], order: [], notes: {}, ...more })

describe('edits', () => {
  test('are applied one after the other: what was dropped stays so, the latest order and note win', () => {
    const first = edit({ order: ['C'], notes: { A: 'a', C: 'c' } })
    const second = edit({ drop: ['B'], order: ['A', 'A', 'B'], notes: { A: 'again' } })
    const { issues, dropped, notes } = applyPlanEdits(ALL, [first, second, edit({})])
    assert.deepEqual([issues.map(({ issue_code }) => issue_code), dropped], [['A', 'C'], ['B']])
    assert.deepEqual(notes, { A: 'again', C: 'c' })
    assert.deepEqual(applyPlanEdits(ALL, []), { issues: ALL, dropped: [], notes: {} })
  })

  test('that ask for an order which our rules can’t keep say what could not be', () => {
    const stage = (...steps: string[][]): Stage => ({
      batches: [{ kind: 'backend', label: 'BE 1/1', workload: 1, steps }],
    })
    const stages = [stage(['A', 'C'], ['B']), stage(['D'])]
    assert.deepEqual(listOrderRemarks([edit({ order: ['C', 'A', 'B', 'D'] })], stages), [])
    assert.match(listOrderRemarks([edit({ order: ['D', 'A'] })], stages).join(), /^D can't come as early/)
    assert.match(listOrderRemarks([edit({ order: ['A', 'B', 'C'] })], stages).join(), /^B can't/)
    assert.deepEqual(listOrderRemarks([edit({ order: ['GONE', 'A'] })], stages), [])
    assert.deepEqual(listOrderRemarks([], stages), [])
  })
})

describe('a planner’s answer', () => {
  const reply = (codes: string[], execution_steps?: string[][] | null) =>
    PlanReply.parse({ issues: codes.map((issue_code) => ({ issue_code })), execution_steps })

  test('that keeps our rules, or names no order, is not remarked on', () => {
    assert.deepEqual(listPlannerRemarks(reply(['A', 'B', 'C'], [['A', 'C'], ['B']]), ALL), [])
    assert.deepEqual(listPlannerRemarks(reply(['A', 'B', 'C'], null), ALL), [])
  })

  test('is told where it puts two issues of one file into a step, or names too many, too few or strangers', () => {
    const remarks = listPlannerRemarks(reply(['A', 'B'], [['A', 'B', 'X'], ['B']]), ALL)
    assert.equal(remarks.length, 5, remarks.join('\n'))
  })

  test('is kept as far as it is about these issues, once each, and no longer than a fixer reads', () => {
    const long = 'x'.repeat(10_000)
    const many = Array.from({ length: 100 }, () => long)
    const own = { issue_code: 'A', approach: 'first' }
    const bounded = truncatePlan(
      PlanReply.parse({
        issues: [own, { issue_code: 'X' }, { ...own, approach: long, steps: many, context: { snippets: many } }],
        execution_steps: Array.from({ length: 9999 }, () => ['A']),
      }),
      ['A', 'B'],
    )
    assert.equal(bounded.issues.length, 1)
    const [plan] = bounded.issues
    assert.deepEqual([plan?.approach.length, plan?.steps.length, plan?.context.snippets[0]?.length], [4000, 20, 4000])
    assert.ok(JSON.stringify(bounded).length < 200_000)
  })
})
