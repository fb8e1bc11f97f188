import { createHash } from 'node:crypto'
import type { IssueStatus, Mover } from '../domain/issue/issue.ts'
import type { IssueFix, IssueRecord } from '../domain/session/records.ts'

/** Issues and their life. A session puts their words down as it is created. */
export interface IssueTable {
  get(issueId: string): Promise<IssueRecord | undefined>
  /** The newest first. */
  list(filter?: IssueFilter): Promise<IssueRecord[]>
  /** Those of its task that could be fixed with it, nearest first. Of several tasks that know the code, the newest. */
  findRelated(repository: string, code: string, taskId?: string): Promise<IssueRecord[]>
  /** Moving an issue to where it already is succeeds, so an activity that runs twice moves it once. */
  changeStatus(change: StatusChange): Promise<StatusChangeOutcome>
}

export interface IssueFilter {
  readonly repository?: string | undefined
  readonly task_id?: string | undefined
  readonly status?: IssueStatus | undefined
  readonly issue_code?: string | undefined
}

export interface StatusChange {
  readonly issue_id: string
  readonly to: IssueStatus
  readonly mover: Mover
  /** Refuse when the issue is in another status by now. */
  readonly from?: IssueStatus | undefined
  readonly note?: string | undefined
  /** The session that moves it; an issue that another living session works on is refused to it. */
  readonly session_id?: string | undefined
  readonly fix?: IssueFix | undefined
}

export type StatusChangeOutcome =
  | { readonly kind: 'moved'; readonly issue: IssueRecord }
  | { readonly kind: 'refused'; readonly problem: string }

/** An issue that comes back in a later review run of the same task keeps its id. */
export function computeIssueId(repository: string, taskId: string, code: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([repository, taskId, code]))
    .digest('hex')
  return `iss-${digest.slice(0, 20)}`
}
