// Decides what an import does to the issues of a repository. Pure: the store carries it out, or only counts it for a preview.
import { type Matchable, matchFindings } from '../issue/match-findings.ts'
import type { Finding } from '../issue/parse-findings.ts'
import type { IssueRecord } from '../session/store-records.ts'
import { createDuplicateFinder } from './find-duplicates.ts'
import type { FoundOrigin, FoundResult, ImportCounts, KnownIssue, MatchReason } from './import-record.ts'

export interface ImportScope {
  /** Tools whose run was whole: what they do not report any more is gone. */
  readonly wholeTools: ReadonlySet<string>
  /** The files that the run looked at; undefined means all. */
  readonly covered: ReadonlySet<string> | undefined
  /** Whether the commit of the report has this one in its history. */
  contains(commit: string): boolean
}

export type ImportEffect =
  | { readonly kind: 'created'; readonly found: FoundResult }
  | { readonly kind: 'duplicate'; readonly found: FoundResult; readonly of: FoundResult | IssueRecord }
  | {
      readonly kind: 'updated' | 'reopened'
      readonly known: KnownIssue
      readonly found: FoundResult
      readonly reason: MatchReason
    }
  | { readonly kind: 'closed' | 'ignored' | 'unchanged'; readonly known: KnownIssue | undefined }

/** `known` are the issues of the report's tools and category, `others` those of other tools. */
export function planImport(
  known: readonly KnownIssue[],
  others: readonly KnownIssue[],
  found: readonly FoundResult[],
  scope: ImportScope,
): ImportEffect[] {
  const own = found.filter(({ issue_id }) => issue_id !== undefined)
  const effects: ImportEffect[] = own.map(() => ({ kind: 'unchanged', known: undefined }))
  const added: FoundResult[] = []
  const foundByTool = Map.groupBy(
    found.filter(({ issue_id }) => issue_id === undefined),
    ({ origin }) => origin.tool,
  )
  const knownByTool = Map.groupBy(known, ({ origin }) => origin.tool)
  for (const tool of new Set([...foundByTool.keys(), ...knownByTool.keys()])) {
    const matching = matchFindings(
      (knownByTool.get(tool) ?? []).map(toKnownMatchable),
      (foundByTool.get(tool) ?? []).map(toFoundMatchable),
    )
    for (const match of matching.matches) {
      effects.push(decideEffect(match.known.known, match.found.result, match.reason, scope))
    }
    added.push(...matching.added.map(({ result }) => result).filter(({ status }) => status === 'open'))
    for (const { known: gone } of matching.gone) if (isGone(gone, scope)) effects.push({ kind: 'closed', known: gone })
  }
  const order = new Map(found.map((each, index) => [each, index]))
  added.sort((one, two) => (order.get(one) ?? 0) - (order.get(two) ?? 0))
  const findDuplicate = createDuplicateFinder(others)
  for (const each of added) {
    const first = findDuplicate(each)
    effects.push(first ? { kind: 'duplicate', found: each, of: first } : { kind: 'created', found: each })
  }
  return effects
}

const NO_COUNTS: ImportCounts = {
  ...{ created: 0, updated: 0, unchanged: 0, reopened: 0 },
  ...{ closed: 0, ignored: 0, duplicate: 0 },
}

export function countEffects(effects: readonly ImportEffect[]): ImportCounts {
  const counts = { ...NO_COUNTS }
  for (const { kind } of effects) counts[kind] += 1
  return counts
}

function decideEffect(known: KnownIssue, found: FoundResult, reason: MatchReason, scope: ImportScope): ImportEffect {
  const { status } = known.issue
  // The text of an issue must not change under the session that works on it.
  if (status === 'in_progress') return { kind: 'unchanged', known }
  const isLeft = status === 'open' || status === 'failed'
  if (found.status === 'gone') return { kind: isLeft ? 'closed' : 'unchanged', known }
  if (found.status === 'suppressed') return { kind: isLeft ? 'ignored' : 'unchanged', known }
  if (status === 'resolved' || status === 'merged') {
    return isRegressed(known, scope) ? { kind: 'reopened', known, found, reason } : { kind: 'unchanged', known }
  }
  return isSame(known, found) ? { kind: 'unchanged', known } : { kind: 'updated', known, found, reason }
}

/** A report of an older commit says nothing about a later fix. What a person resolved without a commit stays resolved. */
function isRegressed({ issue, origin, closed_commit }: KnownIssue, { contains }: ImportScope): boolean {
  const commit = origin.closed_by === undefined ? issue.fix_commit_sha : closed_commit
  return commit !== undefined && contains(commit)
}

/** Nor does it say that what came later is gone. */
function isGone({ issue, origin, seen_commit }: KnownIssue, { wholeTools, covered, contains }: ImportScope): boolean {
  const isLeft = issue.status === 'open' || issue.status === 'failed'
  const isLater = seen_commit === undefined || contains(seen_commit)
  return isLeft && isLater && wholeTools.has(origin.tool) && (covered?.has(issue.file) ?? true)
}

export const REFRESHED_FIELDS = [
  ...(['title', 'description', 'file', 'line', 'severity', 'category', 'suggested_fix'] as const),
] satisfies (keyof Finding)[]
export const REFRESHED_ORIGIN = ['rule', 'fingerprint', 'code_hash', 'tool_id'] as const

function isSame({ issue, origin }: KnownIssue, found: FoundResult): boolean {
  return (
    REFRESHED_FIELDS.every((field) => issue[field] === found.finding[field]) &&
    REFRESHED_ORIGIN.every((field) => origin[field] === found.origin[field]) &&
    origin.weaknesses.join() === found.origin.weaknesses.join()
  )
}

type KnownMatchable = Matchable & { readonly known: KnownIssue }
type FoundMatchable = Matchable & { readonly result: FoundResult }

function toKnownMatchable(known: KnownIssue): KnownMatchable {
  const isDone = known.issue.status === 'resolved' || known.issue.status === 'merged'
  return { ...toMatchable(known.issue, known.origin), isDone, known }
}

function toFoundMatchable(result: FoundResult): FoundMatchable {
  return { ...toMatchable(result.finding, result.origin), result }
}

function toMatchable({ file, line }: Pick<Finding, 'file' | 'line'>, origin: FoundOrigin): Matchable {
  const { rule, fingerprint, code_hash: codeHash, tool_id: toolId } = origin
  return { rule, file, line: line === undefined ? undefined : Number.parseInt(line, 10), fingerprint, codeHash, toolId }
}
