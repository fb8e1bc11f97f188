// Plans stages, batches and steps. A stage is gated and committed together, a batch is one call of the fixer, and a step may run in
// parallel, so it never holds two issues of one file. Backend comes before frontend; within a kind the order is kept.

import { type BatchKind, type CodeKind, classifyFile, KIND_LABEL } from '../issue/code-kind.ts'
import type { Issue } from '../issue/issue.ts'
import type { Profile, Settings } from '../settings/schema.ts'

export type PlannedIssue = Pick<Issue, 'issue_code' | 'file' | 'estimated_effort' | 'estimated_files_count'> & {
  /** Of the reviewers: the findings of one group can be fixed independently of each other, those of two may not. */
  readonly group?: number | undefined
}
export type PlanShape = Pick<Profile, 'stage' | 'calls'>
export type PlanLimits = Omit<Settings['limits'], 'max_prompt_characters' | 'lanes' | 'ask_above_issues'>

export interface Batch {
  readonly kind: BatchKind
  /** `BE 2/3`: its place among the batches of its kind, shown as progress. */
  readonly label: string
  readonly workload: number
  readonly steps: readonly (readonly string[])[]
  /** The fixer hands the issues of each step to sub-agents. */
  readonly delegates?: true | undefined
}

export interface Stage {
  readonly batches: readonly Batch[]
}

export function computeWorkload(issue: PlannedIssue, limits: PlanLimits): number {
  return (issue.estimated_effort ?? limits.default_effort) * (issue.estimated_files_count ?? limits.default_files_count)
}

export function planStages(issues: readonly PlannedIssue[], { stage, calls }: PlanShape, limits: PlanLimits): Stage[] {
  const batches =
    calls === 'batched'
      ? [...planBatches('backend', issues, limits), ...planBatches('frontend', issues, limits)]
      : planWholeCallBatches(issues, limits).map((batch) => (calls === 'one' ? withDelegation(batch) : batch))
  if (stage === 'batch') return batches.map((batch) => ({ batches: [batch] }))
  return batches.length > 0 ? [{ batches }] : []
}

export function listBatchCodes(batch: Batch): string[] {
  return batch.steps.flat()
}

export function listStageCodes(stage: Stage): string[] {
  return stage.batches.flatMap(listBatchCodes)
}

/** The steps restricted to these issues, without empty steps. */
export function filterSteps(batch: Batch, codes: ReadonlySet<string>): string[][] {
  return batch.steps.map((step) => step.filter((code) => codes.has(code))).filter((step) => step.length > 0)
}

function planBatches(kind: CodeKind, issues: readonly PlannedIssue[], limits: PlanLimits): Batch[] {
  return sliceIntoBatches(
    kind,
    issues.filter((each) => classifyFile(each.file) === kind),
    limits,
  )
}

/** Usually one batch; only a workload that exceeds the time of one call is split. */
function planWholeCallBatches(issues: readonly PlannedIssue[], limits: PlanLimits): Batch[] {
  const kinds = new Set(issues.map(({ file }) => classifyFile(file)))
  const [only] = kinds
  const kind = only !== undefined && kinds.size === 1 ? only : 'both'
  const wide: PlanLimits = {
    ...limits,
    max_issues_per_cli_call: Infinity,
    max_workload_points_per_batch: limits.max_workload_points_per_one_call,
  }
  return sliceIntoBatches(kind, issues, wide)
}

function withDelegation(batch: Batch): Batch {
  return { ...batch, steps: limitStepSize(batch.steps), delegates: true }
}

/** The CLI refuses the twenty-first sub-agent of a message, and does not queue it. */
const MAX_SUBAGENTS_PER_STEP = 20

function limitStepSize(steps: Batch['steps']): string[][] {
  return steps.flatMap((step) =>
    Array.from({ length: Math.ceil(step.length / MAX_SUBAGENTS_PER_STEP) }, (_, at) =>
      step.slice(at * MAX_SUBAGENTS_PER_STEP, (at + 1) * MAX_SUBAGENTS_PER_STEP),
    ),
  )
}

function sliceIntoBatches(kind: BatchKind, issues: readonly PlannedIssue[], limits: PlanLimits): Batch[] {
  const groups: PlannedIssue[][] = []
  let points = 0
  for (const issue of issues) {
    const own = computeWorkload(issue, limits)
    const last = groups.at(-1)
    if (last && last.length < limits.max_issues_per_cli_call && points + own <= limits.max_workload_points_per_batch) {
      last.push(issue)
      points += own
    } else {
      groups.push([issue])
      points = own
    }
  }
  return groups.map((group, index) => ({
    kind,
    label: `${KIND_LABEL[kind]} ${index + 1}/${groups.length}`,
    workload: group.reduce((sum, issue) => sum + computeWorkload(issue, limits), 0),
    steps: groupIntoSteps(group),
  }))
}

/** Group after group, as far as there are any; within one, what is in one step can be fixed at the same time. */
export function groupIntoSteps(issues: readonly PlannedIssue[]): string[][] {
  const groups = [...Map.groupBy(issues, ({ group }) => group ?? Infinity)].sort(([a], [b]) => (a < b ? -1 : 1))
  return groups.flatMap(([, own]) => splitByFile(own))
}

/** The nth issue of a file goes into the nth step: parallel across files, one at a time within each. */
function splitByFile(issues: readonly PlannedIssue[]): string[][] {
  const seen = new Map<string, number>()
  const steps: string[][] = []
  for (const issue of issues) {
    const turn = seen.get(issue.file) ?? 0
    seen.set(issue.file, turn + 1)
    const step = steps[turn]
    if (step) step.push(issue.issue_code)
    else steps.push([issue.issue_code])
  }
  return steps
}
