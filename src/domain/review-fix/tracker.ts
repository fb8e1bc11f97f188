// Tracks what becomes of each finding of a review: open, fixed, blocked or deferred. The ids are ours, so a reviewer that uses one id twice
// loses no finding. Every function returns a new tracker and drops nothing: the counts always add up to the number of findings.
import { type FixOutcomeName, findExcuses } from './fix-outcomes.ts'

/** A deferred finding is tried again until it has so many attempts; then it is blocked. */
export const MAX_ATTEMPTS = 3

/** The tracker knows no more of a finding. */
export interface Trackable {
  /** The reviewer's own id, which may not be unique. */
  readonly id: string
  /** From the root of the repository. */
  readonly file: string
  /** `45` or `45-67`; absent if it is about the whole file. */
  readonly line?: string | undefined
}

export type TrackedStatus = 'open' | FixOutcomeName

export interface FixAttempt {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly outcome: FixOutcomeName
  readonly explanation: string
}

export interface TrackedFinding<Finding extends Trackable = Trackable> {
  readonly id: string
  readonly finding: Finding
  /** Where the file is now: renames are followed. */
  readonly file: string
  readonly status: TrackedStatus
  readonly attempts: readonly FixAttempt[]
  /** Why it is blocked, if no attempt says so. */
  readonly reason?: string | undefined
}

export interface Tracker<Finding extends Trackable = Trackable> {
  readonly tracked: readonly TrackedFinding<Finding>[]
  /** What did not fit: unknown ids, contradictions. In the order in which it came up. */
  readonly remarks: readonly string[]
}

/** Numbered by file and line, with every finding open. */
export function startTracker<Finding extends Trackable>(findings: readonly Finding[]): Tracker<Finding> {
  const outside = findings.find(({ file }) => !isInsideTree(file))
  if (outside) throw new RangeError(`${outside.file} is no path inside the repository`)
  const digits = Math.max(String(findings.length).length, 3)
  const sorted = findings.toSorted(
    (one, other) => compareTexts(one.file, other.file) || firstLine(one) - firstLine(other),
  )
  return {
    tracked: sorted.map((finding, index) => ({
      id: `F${String(index + 1).padStart(digits, '0')}`,
      finding,
      file: finding.file,
      status: 'open',
      attempts: [],
    })),
    remarks: [],
  }
}

/** Never attempted. */
export function listOpen<Finding extends Trackable>({ tracked }: Tracker<Finding>): TrackedFinding<Finding>[] {
  return tracked.filter(({ status }) => status === 'open')
}

/** Open, or deferred and to be tried again. */
export function listActionable<Finding extends Trackable>({ tracked }: Tracker<Finding>): TrackedFinding<Finding>[] {
  return tracked.filter(({ status }) => status === 'open' || status === 'deferred')
}

export function listUnresolved<Finding extends Trackable>({ tracked }: Tracker<Finding>): TrackedFinding<Finding>[] {
  return tracked.filter(({ status }) => status === 'blocked' || status === 'deferred')
}

export function isComplete({ tracked }: Tracker): boolean {
  return tracked.every(({ status }) => status === 'fixed' || status === 'blocked')
}

/** Appends an attempt. Fixed and blocked are final; a deferred finding stays actionable until its last attempt. */
export function recordOutcome<Finding extends Trackable>(
  tracker: Tracker<Finding>,
  id: string,
  attempt: FixAttempt,
): Tracker<Finding> {
  const known = tracker.tracked.find((each) => each.id === id)
  if (!known) return addRemark(tracker, `an outcome was reported for ${id}, which is no finding of this review`)
  if (known.status === 'fixed' || known.status === 'blocked')
    return addRemark(tracker, `${id} was reported as ${attempt.outcome}, and is ${known.status} already`)
  const attempts = [...known.attempts, attempt]
  const isGivenUp = attempt.outcome === 'deferred' && attempts.length >= MAX_ATTEMPTS
  return replace(tracker, {
    ...known,
    attempts,
    status: isGivenUp ? 'blocked' : attempt.outcome,
    ...(isGivenUp ? { reason: describeGivingUp(attempts) } : {}),
  })
}

/** Blocks without an attempt, such as a finding whose file is gone. */
export function block<Finding extends Trackable>(
  tracker: Tracker<Finding>,
  id: string,
  reason: string,
): Tracker<Finding> {
  const known = listActionable(tracker).find((each) => each.id === id)
  return known ? replace(tracker, { ...known, status: 'blocked', reason }) : tracker
}

export interface MovedFiles {
  /** New paths by old ones. */
  readonly renamed: ReadonlyMap<string, string>
  exists(path: string): boolean
}

/** Follows renames, and blocks what is about a file that is gone: nobody is asked about it. */
export function followFiles<Finding extends Trackable>(
  tracker: Tracker<Finding>,
  { renamed, exists }: MovedFiles,
): Tracker<Finding> {
  return listActionable(tracker).reduce((before, each) => {
    const file = renamed.get(each.file) ?? each.file
    const moved = file === each.file ? before : replace(before, { ...each, file })
    return exists(file) ? moved : block(moved, each.id, `${file} is not there any more`)
  }, tracker)
}

export interface TrackerCounts {
  readonly total: number
  readonly fixed: number
  readonly blocked: number
  readonly deferred: number
  /** Open to the end: no round was left for them. */
  readonly untried: number
}

export function countTracked({ tracked }: Tracker): TrackerCounts {
  const count = (status: TrackedStatus): number => tracked.filter((each) => each.status === status).length
  return {
    total: tracked.length,
    fixed: count('fixed'),
    blocked: count('blocked'),
    deferred: count('deferred'),
    untried: count('open'),
  }
}

/** What remains to be done by somebody: each finding that is not fixed, for an issue of its own. */
export interface UnfixedFinding<Finding extends Trackable = Trackable> extends TrackedFinding<Finding> {
  readonly status: Exclude<TrackedStatus, 'fixed'>
  /** Names of excuses in the fixer's explanations. */
  readonly excuses: readonly string[]
}

export function listLeftovers<Finding extends Trackable>({ tracked }: Tracker<Finding>): UnfixedFinding<Finding>[] {
  return tracked.flatMap(({ status, ...each }) => {
    if (status === 'fixed') return []
    const excuses = [...new Set(each.attempts.flatMap(({ explanation }) => findExcuses(explanation)))]
    return [{ ...each, status, excuses }]
  })
}

export function addRemark<Finding extends Trackable>(tracker: Tracker<Finding>, remark: string): Tracker<Finding> {
  return { ...tracker, remarks: [...tracker.remarks, remark] }
}

function replace<Finding extends Trackable>(
  tracker: Tracker<Finding>,
  changed: TrackedFinding<Finding>,
): Tracker<Finding> {
  return { ...tracker, tracked: tracker.tracked.map((each) => (each.id === changed.id ? changed : each)) }
}

function describeGivingUp(attempts: readonly FixAttempt[]): string {
  const reasons = attempts.map(({ explanation }, index) => `${index + 1}. ${explanation || 'no reason given'}`)
  return `deferred ${attempts.length} times: ${reasons.join(' ')}`
}

function isInsideTree(path: string): boolean {
  const names = path.split(/[\\/]/)
  return path !== '' && !/^(?:[\\/]|[A-Za-z]:)/.test(path) && !names.includes('..') && !names.includes('.git')
}

function firstLine({ line }: Trackable): number {
  return Number(/\d+/.exec(line ?? '')?.[0] ?? 0)
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
