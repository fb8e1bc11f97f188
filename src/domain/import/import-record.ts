// An import: one report of a tool, taken into the store. It is a task of its own, whose issues are those that it created.
import { z } from 'zod'
import type { Finding } from '../issue/parse-findings.ts'
import type { IssueRecord } from '../session/store-records.ts'

/** `review`: findings that a session was given. */
export const TaskRecord = z.object({
  repository_id: z.string(),
  task_id: z.string(),
  kind: z.enum(['import', 'review']),
  created_at: z.string(),
})
export type TaskRecord = z.infer<typeof TaskRecord>

const Count = z.number().int().nonnegative()

/** What became of the issues. Suppressed and fixed results that no issue knows are not counted here. */
export const ImportCounts = z.object({
  created: Count,
  updated: Count,
  unchanged: Count,
  /** They were resolved, and are in the report of a later commit. */
  reopened: Count,
  /** They are gone from a whole report. */
  closed: Count,
  /** They are suppressed in the source. */
  ignored: Count,
  /** Another tool had reported them. */
  duplicate: Count,
})
export type ImportCounts = z.infer<typeof ImportCounts>

export const ImportRecord = z.object({
  /** Also its task's id. */
  import_id: z.string(),
  repository_id: z.string(),
  /** Tells apart reports of one tool about different things, such as the folders of a monorepo. */
  category: z.string(),
  format: z.string(),
  tools: z.array(z.string()),
  /** The commit that the report is about. */
  commit_sha: z.string(),
  /** The artifact with the report, its secrets masked. */
  report_ref: z.string(),
  /** What of the report was taken, in one line. */
  notice: z.string().optional(),
  counts: ImportCounts,
  imported_by: z.string(),
  created_at: z.string(),
  undone_at: z.string().optional(),
})
export type ImportRecord = z.infer<typeof ImportRecord>

export const MatchReason = z.enum(['tool_id', 'fingerprint', 'nearest_line', 'moved_file'])
export type MatchReason = z.infer<typeof MatchReason>

/** How an issue is recognised in later reports. */
export const IssueOrigin = z.object({
  issue_id: z.string(),
  tool: z.string(),
  category: z.string(),
  rule: z.string(),
  fingerprint: z.string(),
  code_hash: z.string(),
  tool_id: z.string().optional(),
  /** Names of the weakness that several tools share, such as `cwe-78`. */
  weaknesses: z.array(z.string()),
  /** The latest import whose report has the issue, and by what the latest change recognised it; absent if it was created then. */
  import_id: z.string(),
  matched_by: MatchReason.optional(),
  /** The import whose whole report did not have it any more, as long as nobody has changed the status since. */
  closed_by: z.string().optional(),
})
export type IssueOrigin = z.infer<typeof IssueOrigin>

export type FoundOrigin = Pick<IssueOrigin, 'tool' | 'rule' | 'fingerprint' | 'code_hash' | 'tool_id' | 'weaknesses'>

export interface FoundResult {
  readonly finding: Finding
  readonly origin: FoundOrigin
  /** `gone`: the report itself says so. */
  readonly status: 'open' | 'suppressed' | 'gone'
  /** The issue that a report of our own names. */
  readonly issue_id?: string | undefined
}

export interface KnownIssue {
  readonly issue: IssueRecord
  readonly origin: IssueOrigin
  /** The commit of the latest report that has it; undefined if that import was undone. */
  readonly seen_commit?: string | undefined
  /** The commit of the report that closed it. */
  readonly closed_commit?: string | undefined
}

/** What an undo puts back: the fields of the issue and of its origin that an import changes. */
export const IssueBefore = z.object({ issue: z.looseObject({}), origin: z.looseObject({}) })

export function toImportId(bytes: Uint8Array): string {
  return `imp-${Buffer.from(bytes.subarray(0, 6)).toString('hex')}`
}
