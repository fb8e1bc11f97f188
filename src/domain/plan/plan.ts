// From issues to stages, batches and steps. A stage is what is gated and committed together, a batch is one call of the
// fixer, a step is what may run in parallel inside it: no step ever holds two issues of one file.
// The order of the issues is kept inside each kind; backend comes before frontend.
import { type BatchKind, KIND_LABEL, type Kind, kindOfFile } from '../issue/code-kind.ts'

export interface PlannedIssue {
  readonly code: string
  readonly file: string
  readonly effort?: number | undefined
  readonly files?: number | undefined
}

export interface Batch {
  readonly kind: BatchKind
  /** `BE 2/3`: which batch of its kind this is, as progress shows it. */
  readonly label: string
  readonly workload: number
  readonly steps: readonly (readonly string[])[]
  /** Its call hands the issues of each step on to sub-agents. */
  readonly delegates?: true | undefined
}

export interface Stage {
  readonly batches: readonly Batch[]
}

export interface PlanLimits {
  readonly maxIssuesPerCall: number
  readonly maxWorkloadPoints: number
  readonly maxWorkloadPointsPerOneCall: number
  readonly defaultEffort: number
  readonly defaultFiles: number
}

export interface PlanShape {
  /** What is gated and committed together. */
  readonly stage: 'batch' | 'session'
  readonly calls: 'batched' | 'one' | 'one-plain'
}

export function workload(issue: PlannedIssue, limits: PlanLimits): number {
  return (issue.effort ?? limits.defaultEffort) * (issue.files ?? limits.defaultFiles)
}

export function planStages(issues: readonly PlannedIssue[], { stage, calls }: PlanShape, limits: PlanLimits): Stage[] {
  const batches =
    calls === 'batched'
      ? [...batchesOf('backend', issues, limits), ...batchesOf('frontend', issues, limits)]
      : wholeCalls(issues, limits).map((batch) => (calls === 'one' ? delegating(batch) : batch))
  if (stage === 'batch') return batches.map((batch) => ({ batches: [batch] }))
  return batches.length > 0 ? [{ batches }] : []
}

export function codesOfBatch(batch: Batch): string[] {
  return batch.steps.flat()
}

export function codesOfStage(stage: Stage): string[] {
  return stage.batches.flatMap(codesOfBatch)
}

/** The same steps with only these issues in them, empty steps left out. */
export function narrowSteps(batch: Batch, codes: ReadonlySet<string>): string[][] {
  return batch.steps.map((step) => step.filter((code) => codes.has(code))).filter((step) => step.length > 0)
}

function batchesOf(kind: Kind, issues: readonly PlannedIssue[], limits: PlanLimits): Batch[] {
  return batched(
    kind,
    issues.filter((each) => kindOfFile(each.file) === kind),
    limits,
  )
}

/** Mostly there is one; more than fits the time of a call is sliced. Only the workload counts. */
function wholeCalls(issues: readonly PlannedIssue[], limits: PlanLimits): Batch[] {
  const kinds = new Set(issues.map(({ file }) => kindOfFile(file)))
  const [only] = kinds
  const kind = only !== undefined && kinds.size === 1 ? only : 'both'
  const wide = { ...limits, maxIssuesPerCall: Infinity, maxWorkloadPoints: limits.maxWorkloadPointsPerOneCall }
  return batched(kind, issues, wide)
}

function delegating(batch: Batch): Batch {
  return { ...batch, steps: bounded(batch.steps), delegates: true }
}

/** The CLI refuses the twenty-first sub-agent of a message, and does not queue it. */
const MOST_AT_ONCE = 20

function bounded(steps: Batch['steps']): string[][] {
  return steps.flatMap((step) =>
    Array.from({ length: Math.ceil(step.length / MOST_AT_ONCE) }, (_, at) =>
      step.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE),
    ),
  )
}

function batched(kind: BatchKind, issues: readonly PlannedIssue[], limits: PlanLimits): Batch[] {
  const groups: PlannedIssue[][] = []
  let points = 0
  for (const issue of issues) {
    const own = workload(issue, limits)
    const last = groups.at(-1)
    if (last && last.length < limits.maxIssuesPerCall && points + own <= limits.maxWorkloadPoints) {
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
    workload: group.reduce((sum, issue) => sum + workload(issue, limits), 0),
    steps: stepsOf(group),
  }))
}

/** The nth issue of a file goes into the nth step: parallel across files, one at a time within each. */
export function stepsOf(issues: readonly PlannedIssue[]): string[][] {
  const seen = new Map<string, number>()
  const steps: string[][] = []
  for (const issue of issues) {
    const turn = seen.get(issue.file) ?? 0
    seen.set(issue.file, turn + 1)
    const step = steps[turn]
    if (step) step.push(issue.code)
    else steps.push([issue.code])
  }
  return steps
}
