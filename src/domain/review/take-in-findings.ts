// Takes in what a reviewer reports: each finding gets an id of ours, a checked place and a severity that follows from its failure.
// None is left out, whatever is wrong with it.
import { toOneLine, truncateText } from '../text/truncate.ts'
import type { ReportedFinding, ReviewFinding } from './finding.ts'
import { findPlace, type PinnedFiles } from './reviewed-files.ts'
import { deriveSeverity } from './severity.ts'

interface ReportedGroup {
  readonly findings: readonly ReportedFinding[]
}

const MAX_TITLE = 200

/** Ids follow the order of file and line; findings without a line come last in their file. */
export function takeInFindings(groups: readonly ReportedGroup[], files: PinnedFiles): ReviewFinding[] {
  const placed = groups.flatMap(({ findings }, group) =>
    findings.map((reported) => ({ reported, group, ...findPlace(reported, files) })),
  )
  const ordered = placed.toSorted((a, b) => compareText(a.file, b.file) || toLine(a) - toLine(b))
  return ordered.map(({ reported, group, file, anchor }, index) => ({
    id: formatFindingId(index + 1),
    alias: reported.id,
    file,
    side: reported.side,
    quote: reported.quote,
    anchor,
    title: truncateText(toOneLine(reported.issue), MAX_TITLE),
    failure: reported.failure,
    effect: reported.effect,
    reach: reported.reach,
    severity: deriveSeverity({ ...reported, severity: reported.severity ?? undefined }),
    origin: reported.origin,
    category: reported.category,
    ...optional('suggested_fix', reported.fix_hint),
    ...optional('estimated_effort', reported.estimated_effort),
    ...optional('estimated_files_count', reported.estimated_files_count),
    experts: reported.experts,
    ...optional('new_evidence', reported.new_evidence),
    group,
  }))
}

export function formatFindingId(number: number): string {
  return `F${String(number).padStart(3, '0')}`
}

function toLine({ anchor }: Pick<ReviewFinding, 'anchor'>): number {
  return anchor.kind === 'unanchored' ? Number.MAX_SAFE_INTEGER : anchor.line
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function optional<Name extends string, Value>(name: Name, value: Value | null | undefined): { [Key in Name]?: Value } {
  return value === null || value === undefined || value === '' ? {} : ({ [name]: value } as { [Key in Name]?: Value })
}
