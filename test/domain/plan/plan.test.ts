// The rules of planning: limits, kinds, steps, and that no issue is lost on the way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyFile } from '../../../src/domain/issue/code-kind.ts'
import {
  type Batch,
  computeWorkload,
  filterSteps,
  groupIntoSteps,
  listBatchCodes,
  listStageCodes,
  type PlanLimits,
  type PlannedIssue,
  type PlanShape,
  planStages,
} from '../../../src/domain/plan/plan.ts'

const LIMITS: PlanLimits = {
  max_issues_per_cli_call: 5,
  max_workload_points_per_batch: 15,
  max_workload_points_per_one_call: 90,
  default_effort: 3,
  default_files_count: 1,
}
/** The shapes of the profiles. */
const BATCHED: PlanShape = { stage: 'batch', calls: 'batched' }
const SEQUENTIAL: PlanShape = { stage: 'session', calls: 'batched' }
const ONE_CALL: PlanShape = { stage: 'session', calls: 'one' }
const VERIFY: PlanShape = { stage: 'session', calls: 'one-plain' }

const issues = fc
  .array(
    fc.record({
      file: fc.constantFrom('a.py', 'b.py', 'c.go', 'd.ts', 'e.css', 'f.vue', 'README'),
      estimated_effort: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      estimated_files_count: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    }),
    { maxLength: 40 },
  )
  .map((list): PlannedIssue[] => list.map((issue, index) => ({ ...issue, issue_code: `I${index}` })))
const limits = fc.record({
  max_issues_per_cli_call: fc.integer({ min: 1, max: 8 }),
  max_workload_points_per_batch: fc.integer({ min: 1, max: 30 }),
  max_workload_points_per_one_call: fc.integer({ min: 1, max: 120 }),
  default_effort: fc.integer({ min: 1, max: 5 }),
  default_files_count: fc.integer({ min: 1, max: 3 }),
})
const cut = fc.constantFrom(BATCHED, SEQUENTIAL)
const shape = fc.constantFrom(BATCHED, SEQUENTIAL, ONE_CALL, VERIFY, { ...ONE_CALL, stage: 'batch' as const })

function some(count: number, issue: Partial<PlannedIssue> = {}): PlannedIssue[] {
  return Array.from({ length: count }, (_, index) => ({ issue_code: `I${index}`, file: `f${index}.py`, ...issue }))
}

function batches(list: readonly PlannedIssue[]): Batch[] {
  return planStages(list, BATCHED, LIMITS).flatMap((stage) => [...stage.batches])
}

function sizes(list: readonly PlannedIssue[]): number[] {
  return batches(list).map((batch) => listBatchCodes(batch).length)
}

test('workload is effort times files [S0-5]', () => {
  assert.equal(
    computeWorkload({ issue_code: 'A', file: 'a.py', estimated_effort: 4, estimated_files_count: 3 }, LIMITS),
    12,
  )
})

test('without estimates an issue has effort 3 and one file: 3 points [S0-6]', () => {
  assert.equal(computeWorkload({ issue_code: 'A', file: 'a.py' }, LIMITS), 3)
  assert.equal(computeWorkload({ issue_code: 'A', file: 'a.py', estimated_effort: 2 }, LIMITS), 2)
  assert.equal(computeWorkload({ issue_code: 'A', file: 'a.py', estimated_files_count: 4 }, LIMITS), 12)
})

test('a batch closes at 15 points or at five issues, whichever comes first [S0-7]', () => {
  assert.deepEqual(sizes(some(5, { estimated_effort: 3 })), [5])
  assert.deepEqual(sizes(some(6, { estimated_effort: 3 })), [5, 1])
  assert.deepEqual(sizes(some(4, { estimated_effort: 5 })), [3, 1])
  assert.deepEqual(sizes(some(12, { estimated_effort: 1 })), [5, 5, 2])
})

test('the worked examples: many of 1 point, seven of 2 by points alone, one of 12, and 25 by itself [S0-8]', () => {
  assert.deepEqual(sizes(some(5, { estimated_effort: 1, estimated_files_count: 1 })), [5])
  const byPoints = planStages(some(8, { estimated_effort: 2, estimated_files_count: 1 }), BATCHED, {
    ...LIMITS,
    max_issues_per_cli_call: 50,
  })
  assert.deepEqual(
    byPoints.map((stage) => listStageCodes(stage).length),
    [7, 1],
  )
  assert.deepEqual(sizes(some(3, { estimated_effort: 4, estimated_files_count: 3 })), [1, 1, 1])
  assert.deepEqual(sizes(some(2, { estimated_effort: 5, estimated_files_count: 5 })), [1, 1])
})

test('an issue over the limit has a batch of its own, and takes no other with it [S0-8, C13]', () => {
  const list = [
    ...some(1, { estimated_effort: 1 }),
    { issue_code: 'BIG', file: 'big.py', estimated_effort: 5, estimated_files_count: 5 },
    { issue_code: 'LAST', file: 'l.py', estimated_effort: 1 },
  ]
  assert.deepEqual(batches(list).map(listBatchCodes), [['I0'], ['BIG'], ['LAST']])
})

test('all backend batches come before all frontend batches [S0-3, S0-9]', () => {
  const list = [
    { issue_code: 'F1', file: 'a.ts' },
    { issue_code: 'B1', file: 'a.py' },
    { issue_code: 'F2', file: 'b.css' },
    { issue_code: 'B2', file: 'Makefile' },
  ]
  assert.deepEqual(
    batches(list).map((batch) => [batch.kind, listBatchCodes(batch)]),
    [
      ['backend', ['B1', 'B2']],
      ['frontend', ['F1', 'F2']],
    ],
  )
})

test('a batch is labelled by its kind, its number and the number of its kind, with its workload [S0-10]', () => {
  const list = [...some(6), { issue_code: 'F', file: 'x.ts', estimated_effort: 2, estimated_files_count: 2 }]
  assert.deepEqual(
    batches(list).map(({ label, workload }) => [label, workload]),
    [
      ['BE 1/2', 15],
      ['BE 2/2', 3],
      ['FE 1/1', 4],
    ],
  )
})

test('batches are stages of their own, or all one stage, and nothing to fix is no stage [S0-9, C3]', () => {
  const list = [...some(7), { issue_code: 'F', file: 'x.ts' }]
  assert.deepEqual(
    planStages(list, BATCHED, LIMITS).map((stage) => stage.batches.length),
    [1, 1, 1],
  )
  assert.deepEqual(
    planStages(list, SEQUENTIAL, LIMITS).map((stage) => stage.batches.length),
    [3],
  )
  assert.deepEqual(planStages([], BATCHED, LIMITS), [])
  assert.deepEqual(planStages([], SEQUENTIAL, LIMITS), [])
  assert.deepEqual(planStages([], ONE_CALL, LIMITS), [])
})

test('no issue is lost or doubled, whatever the limits and the cut [S0-3]', () => {
  fc.assert(
    fc.property(issues, shape, limits, (list, how, within) => {
      const planned = planStages(list, how, within).flatMap(listStageCodes)
      assert.deepEqual(planned.toSorted(), list.map((issue) => issue.issue_code).toSorted())
    }),
  )
})

test('no batch exceeds the limits, except for one issue that does so alone [S0-7, S2-28]', () => {
  fc.assert(
    fc.property(issues, cut, limits, (list, how, within) => {
      const byCode = new Map(list.map((issue) => [issue.issue_code, issue]))
      for (const batch of planStages(list, how, within).flatMap((stage) => stage.batches)) {
        const codes = listBatchCodes(batch)
        const points = codes.reduce(
          (sum, code) => sum + computeWorkload(byCode.get(code) ?? { issue_code: code, file: '' }, within),
          0,
        )
        assert.equal(batch.workload, points)
        assert.ok(codes.length >= 1 && codes.length <= within.max_issues_per_cli_call)
        assert.ok(points <= within.max_workload_points_per_batch || codes.length === 1)
      }
    }),
  )
})

test('no batch is cut short: the next issue of its kind would not have fitted [S0-7]', () => {
  fc.assert(
    fc.property(issues, limits, (list, within) => {
      const order = planStages(list, SEQUENTIAL, within).flatMap((stage) => stage.batches)
      for (const [index, batch] of order.entries()) {
        const next = order[index + 1]
        if (next?.kind !== batch.kind) continue
        const first = list.find((issue) => listBatchCodes(next).includes(issue.issue_code))
        assert.ok(first)
        const full = listBatchCodes(batch).length === within.max_issues_per_cli_call
        assert.ok(full || batch.workload + computeWorkload(first, within) > within.max_workload_points_per_batch)
      }
    }),
  )
})

test('the order of the issues is kept from batch to batch, backend before frontend, one kind a batch [S0-9]', () => {
  fc.assert(
    fc.property(issues, cut, limits, (list, how, within) => {
      const place = new Map(list.map((issue, index) => [issue.issue_code, index]))
      const order = planStages(list, how, within).flatMap((stage) => stage.batches)
      const kinds = order.map((batch) => batch.kind)
      assert.deepEqual(kinds, kinds.toSorted())
      for (const [index, batch] of order.entries()) {
        const own = listBatchCodes(batch).map((code) => place.get(code) ?? -1)
        for (const code of own) assert.equal(classifyFile(list[code]?.file ?? ''), batch.kind)
        const before = order
          .slice(0, index)
          .filter((other) => other.kind === batch.kind)
          .flatMap(listBatchCodes)
        assert.ok(before.every((code) => (place.get(code) ?? -1) < Math.min(...own)))
      }
    }),
  )
})

test('no step holds two issues of one file, and issues of one file come in their order [S2-6, S1-4, S1-5]', () => {
  fc.assert(
    fc.property(issues, shape, limits, (list, how, within) => {
      const fileOf = new Map(list.map((issue) => [issue.issue_code, issue.file]))
      for (const batch of planStages(list, how, within).flatMap((stage) => stage.batches)) {
        for (const step of batch.steps) {
          assert.ok(step.length > 0)
          assert.equal(new Set(step.map((code) => fileOf.get(code))).size, step.length)
        }
        const steps = listBatchCodes(batch)
        for (const file of new Set(steps.map((code) => fileOf.get(code)))) {
          const inSteps = steps.filter((code) => fileOf.get(code) === file)
          const inOrder = list.filter((issue) => inSteps.includes(issue.issue_code)).map((issue) => issue.issue_code)
          assert.deepEqual(inSteps, inOrder)
        }
      }
    }),
  )
})

test('there are no more steps than the busiest file has issues: everything else runs in parallel [S2-6, S1-4]', () => {
  fc.assert(
    fc.property(issues, (list) => {
      const counts = Object.values(Object.groupBy(list, (issue) => issue.file)).map((group) => group?.length ?? 0)
      assert.equal(groupIntoSteps(list).length, Math.max(0, ...counts))
    }),
  )
})

test('a further round keeps the steps, with only the issues that go again [S2-14]', () => {
  const [batch] = batches([
    { issue_code: 'A', file: 'x.py' },
    { issue_code: 'B', file: 'x.py' },
    { issue_code: 'C', file: 'y.py' },
  ])
  assert.ok(batch)
  assert.deepEqual(batch.steps, [['A', 'C'], ['B']])
  assert.deepEqual(filterSteps(batch, new Set(['B'])), [['B']])
  assert.deepEqual(filterSteps(batch, new Set(['C', 'Z'])), [['C']])
  assert.deepEqual(filterSteps(batch, new Set()), [])
})

test('the same issues give the same plan [S0-3]', () => {
  fc.assert(
    fc.property(issues, shape, limits, (list, how, within) => {
      assert.deepEqual(planStages(list, how, within), planStages(structuredClone(list), how, within))
    }),
  )
})

test('one call holds all issues, of both kinds, more than five and more than fifteen points, and hands them on [S1-2, C5]', () => {
  const list = [...some(12), { issue_code: 'F1', file: 'x.ts' }, { issue_code: 'F2', file: 'x.ts' }]
  const stages = planStages(list, ONE_CALL, LIMITS)
  const [batch] = stages.flatMap((stage) => stage.batches)
  assert.deepEqual(
    stages.map((stage) => stage.batches.length),
    [1],
  )
  assert.ok(batch)
  assert.deepEqual(listBatchCodes(batch).toSorted(), list.map(({ issue_code }) => issue_code).toSorted())
  assert.deepEqual([batch.kind, batch.label, batch.workload, batch.delegates], ['both', 'BE+FE 1/1', 42, true])
})

test('a plain call holds all issues of the session as well, and fixes them itself [S4-3]', () => {
  const list = [...some(25), { issue_code: 'F1', file: 'x.ts' }]
  const [stage, ...others] = planStages(list, VERIFY, LIMITS)
  assert.deepEqual([stage?.batches.length, others], [1, []])
  const [batch] = stage?.batches ?? []
  assert.deepEqual(
    batch && listBatchCodes(batch),
    list.map(({ issue_code }) => issue_code),
  )
  assert.deepEqual([batch?.kind, batch?.steps, batch?.delegates], ['both', groupIntoSteps(list), undefined])
})

test('one call about issues of one kind is of that kind [S1-2, S0-4]', () => {
  const kindOf = (file: string) => planStages([{ issue_code: 'A', file }], ONE_CALL, LIMITS)[0]?.batches[0]?.kind
  assert.deepEqual([kindOf('a.py'), kindOf('a.ts')], ['backend', 'frontend'])
})

test('in one call, issues of different files share a step, those of one file come step by step [S1-4, S1-5, S1-10]', () => {
  const list = [
    { issue_code: 'A', file: 'x.py' },
    { issue_code: 'B', file: 'x.py' },
    { issue_code: 'C', file: 'y.ts' },
    { issue_code: 'D', file: 'x.py' },
    { issue_code: 'E', file: 'y.ts' },
  ]
  assert.deepEqual(planStages(list, ONE_CALL, LIMITS)[0]?.batches[0]?.steps, [['A', 'C'], ['B', 'E'], ['D']])
})

test('more than fits the time of one call is sliced by workload alone, and an issue that is too big has its own [S1-2, C13]', () => {
  const sliced = (list: readonly PlannedIssue[]) =>
    planStages(list, ONE_CALL, LIMITS).flatMap((stage) =>
      stage.batches.map((batch) => [batch.label, listBatchCodes(batch).length, batch.delegates]),
    )
  assert.deepEqual(sliced(some(30)), [['BE 1/1', 30, true]])
  assert.deepEqual(sliced(some(31)), [
    ['BE 1/2', 30, true],
    ['BE 2/2', 1, true],
  ])
  assert.deepEqual(
    sliced([
      { issue_code: 'A', file: 'a.py' },
      { issue_code: 'BIG', file: 'b.ts', estimated_effort: 5, estimated_files_count: 20 },
      { issue_code: 'C', file: 'c.ts' },
    ]),
    [
      ['BE+FE 1/3', 1, true],
      ['BE+FE 2/3', 1, true],
      ['BE+FE 3/3', 1, true],
    ],
  )
})

test('a slice never weighs more than one call may, except for an issue alone, and none is cut short [S1-2, S2-28]', () => {
  fc.assert(
    fc.property(issues, limits, (list, within) => {
      const slices = planStages(list, ONE_CALL, within).flatMap((stage) => stage.batches)
      const most = within.max_workload_points_per_one_call
      for (const [index, slice] of slices.entries()) {
        assert.ok(slice.delegates && slice.kind === slices[0]?.kind)
        assert.ok(slice.workload <= most || listBatchCodes(slice).length === 1)
        const next = slices[index + 1]
        const first = next && list.find((issue) => listBatchCodes(next).includes(issue.issue_code))
        if (first) assert.ok(slice.workload + computeWorkload(first, within) > most)
      }
    }),
  )
})

test('only one call hands issues on: where there are batches, there is one fixer and no sub-agent [C5]', () => {
  fc.assert(
    fc.property(issues, cut, limits, (list, how, within) => {
      const planned = planStages(list, how, within).flatMap((stage) => stage.batches)
      assert.ok(planned.every((batch) => batch.delegates === undefined && batch.kind !== 'both'))
    }),
  )
})

test('no step hands on more issues than the CLI takes at once: it refuses the twenty-first [S1-4]', () => {
  const many = Array.from({ length: 45 }, (_, index) => ({
    issue_code: `I-${index}`,
    file: `src/f${index}.py`,
    estimated_effort: 1,
    estimated_files_count: 1,
  }))
  const [stage] = planStages(many, ONE_CALL, { ...LIMITS, max_workload_points_per_one_call: 1000 })
  assert.deepEqual(
    stage?.batches.map(({ steps }) => steps.map((step) => step.length)),
    [[20, 20, 5]],
  )
})
