import { createHash } from 'node:crypto'
import type { IssueStatus, Mover, Severity } from '../domain/issue/issue.ts'
import type { IssueFix, IssueRecord } from '../domain/session/store-records.ts'

/** Issues and their status. `Store.createSession` inserts them. */
export interface IssueTable {
  get(issueId: string): Promise<IssueRecord | undefined>
  /** The latest change comes first. */
  list(filter?: IssueFilter): Promise<IssueRecord[]>
  /** The latest change comes first; at most `limit` that follow `before` in that order. */
  listPage(filter: IssuePageFilter): Promise<IssueRecord[]>
  /** Issues of the same task that could be fixed with this one, nearest first. If several tasks have the code, the newest counts. */
  findRelated(repositoryId: string, code: string, taskId?: string): Promise<IssueRecord[]>
  /** A change to the issue's current status succeeds, so that an activity can run twice. */
  changeStatus(change: StatusChange): Promise<StatusChangeOutcome>
}

export interface IssueFilter {
  readonly repository_id?: string | undefined
  readonly task_id?: string | undefined
  readonly status?: IssueStatus | readonly IssueStatus[] | undefined
  readonly severity?: readonly Severity[] | undefined
  /** The import that created or reopened it. */
  readonly opened_by?: string | undefined
  readonly issue_code?: string | undefined
}

export interface IssuePageFilter extends Omit<IssueFilter, 'issue_code'> {
  readonly severities?: readonly Severity[] | undefined
  readonly before?: Pick<IssueRecord, 'updated_at' | 'issue_id'> | undefined
  readonly limit: number
}

export interface StatusChange {
  readonly issue_id: string
  /** Default: the status that it has. */
  readonly to?: IssueStatus | undefined
  readonly mover: Mover
  /** Refuses the change if the issue is in another status by now. */
  readonly from?: IssueStatus | undefined
  readonly note?: string | undefined
  /** Refuses the change if it says no to the issue as it is now. */
  readonly isAsSeen?: ((issue: IssueRecord) => boolean) | undefined
  /** The session that makes the change. It is refused if another living session works on the issue. */
  readonly session_id?: string | undefined
  readonly fix?: IssueFix | undefined
}

export type StatusChangeOutcome =
  | { readonly kind: 'moved'; readonly issue: IssueRecord }
  /** `current`: how the issue is, where it is not as it was seen. */
  | { readonly kind: 'refused'; readonly problem: string; readonly current?: IssueRecord }

/** An issue that comes back in a later review run of the same task keeps its id. `idSeed` is that of the repository. */
export function computeIssueId(idSeed: string, taskId: string, code: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([idSeed, taskId, code]))
    .digest('hex')
  return `iss-${digest.slice(0, 20)}`
}
