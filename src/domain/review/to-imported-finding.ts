// Findings of a review as those that a session can be asked to fix. A finding's code is its id,
// and its task is that of the review.
import type { Finding } from '../issue/parse-findings.ts'
import { parsePathInside } from '../scope/paths.ts'
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
