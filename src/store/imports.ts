import type { FoundResult, ImportCounts, ImportRecord, TaskRecord } from '../domain/import/import-record.ts'
import type { ImportScope } from '../domain/import/plan-import.ts'

/** Imports of reports, and the tasks that they and the sessions' reviews are. */
export interface ImportTable {
  /** Takes a report into the store in one transaction. */
  apply(request: NewImport): Promise<ImportRecord>
  /** Counts what `apply` would do. Nothing is written. */
  preview(request: NewImport): Promise<ImportCounts>
  /**
   * Puts every issue back as it was before the import, and removes those that it created, except what somebody or a session has changed
   * since. Only the latest import of its tools and category can be undone.
   */
  undo(importId: string): Promise<UndoOutcome>
  get(importId: string): Promise<ImportRecord | undefined>
  /** The newest comes first. */
  list(repositoryId: string): Promise<ImportRecord[]>
  /** The newest comes first. */
  listTasks(repositoryId: string): Promise<TaskRecord[]>
  /** Where issues were fixed, closed and last seen: a report's commit may or may not have these in its history. */
  listKnownCommits(scope: Pick<ImportRecord, 'repository_id' | 'tools' | 'category'>): Promise<string[]>
}

export type NewImport = Omit<ImportRecord, 'counts' | 'created_at' | 'undone_at'> & {
  readonly found: readonly FoundResult[]
  readonly scope: ImportScope
}

export type UndoOutcome =
  | { readonly kind: 'undone'; readonly restored: number; readonly kept: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'undone_before' }
  /** `by` has to be undone first. */
  | { readonly kind: 'not_latest'; readonly by: string }
