// Findings of a review as those that a session can be asked to fix, and as an import: a review that comes again finds its issues, and what it
// made can be undone. A finding's code is its id, and its task is that of the review.
import type { FoundResult, ImportRecord } from '../import/import-record.ts'
import type { ImportScope } from '../import/plan-import.ts'
import type { Finding } from '../issue/parse-findings.ts'
import { parsePathInside } from '../scope/paths.ts'
import { hashJson } from '../session/idempotency-key.ts'
import type { ReviewFinding } from './finding.ts'

/** Undefined if its path leaves the repository. */
export function toImportedFinding(finding: ReviewFinding): Finding | undefined {
  const { id, file, anchor, title, failure, severity, category } = finding
  const { suggested_fix, estimated_effort, estimated_files_count } = finding
  if (parsePathInside(file).problem !== undefined) return undefined
  return {
    issue_code: id,
    title,
    description: failure,
    file,
    ...(anchor.kind === 'unanchored' ? {} : { line: formatLines(anchor) }),
    severity,
    category,
    ...(suggested_fix === undefined ? {} : { suggested_fix }),
    ...(estimated_effort === undefined ? {} : { estimated_effort }),
    ...(estimated_files_count === undefined ? {} : { estimated_files_count }),
  }
}

function formatLines({ line, end_line }: { readonly line: number; readonly end_line: number }): string {
  return end_line > line ? `${line}-${end_line}` : `${line}`
}

/** The tool of all findings that reviewers report. */
export const REVIEW_TOOL = 'review'

interface ReviewImport {
  /** Also the import's id. */
  readonly task_id: string
  readonly repository_id: string
  readonly head: string
  readonly record_ref: string
  readonly by: string
}

/** A review never shows that an issue is gone. */
const NOTHING_GONE: ImportScope = { wholeTools: new Set(), covered: undefined, contains: () => false }

export function toReviewImport(
  { task_id, repository_id, head, record_ref, by }: ReviewImport,
  findings: readonly Finding[],
): Omit<ImportRecord, 'counts' | 'created_at' | 'undone_at'> & {
  readonly found: readonly FoundResult[]
  readonly scope: ImportScope
} {
  return {
    ...{ import_id: task_id, repository_id, category: '', format: 'fixwright', tools: [REVIEW_TOOL] },
    ...{ commit_sha: head, report_ref: record_ref, imported_by: by },
    found: findings.map((finding) => toReviewFound(finding, 'open')),
    scope: NOTHING_GONE,
  }
}

/** A reviewer's codes begin anew in every review, so only the whole text says that a finding is the same. */
export function toReviewFound(finding: Finding, status: FoundResult['status']): FoundResult {
  const print = hashJson([finding.title, finding.description, finding.file])
  const own = { tool: REVIEW_TOOL, rule: print, fingerprint: print, code_hash: print }
  return { finding, origin: { ...own, tool_id: undefined, weaknesses: [] }, status }
}
