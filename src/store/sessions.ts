import type {
  FixStatus,
  IssueFixResult,
  OpenDecision,
  SessionPlan,
  SessionRecord,
  SessionWaiting,
} from '../domain/session/session.ts'
import type { IssueRecord, SessionArtifact } from '../domain/session/store-records.ts'

/** Sessions and the issues that they are to fix. An ended session is not updated any more. */
export interface SessionTable {
  /** Deletes a session that never started: another session has its work, or its starter died. Returns whether it did. */
  discardUnstarted(sessionId: string): Promise<boolean>
  /** Returns whether the session was updated. A status that ends the session also records the time. */
  update(sessionId: string, patch: SessionPatch): Promise<boolean>
  /** Returns whether the branch is this session's now: two living sessions of a repository never have the same. */
  reserveBranch(sessionId: string, repositoryId: string, branch: string): Promise<boolean>
  get(sessionId: string): Promise<SessionRecord | undefined>
  findByPrefix(prefix: string): Promise<SessionLookup>
  /** The newest session comes first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>
  /** A session that waits for a person is not active. */
  hasActiveSession(): Promise<boolean>
  /** Sessions without a workflow. The oldest comes first. */
  listUnstarted(): Promise<SessionRecord[]>
  findLatestByKey(key: string): Promise<SessionRecord | undefined>
  /** In the order of fixing. */
  listIssues(sessionId: string): Promise<SessionIssue[]>
  setIssueOutcome(sessionId: string, outcome: IssueFixResult): Promise<void>
}

export type NewSession = Omit<SessionRecord, 'kind' | 'repository_name' | 'started_at' | 'updated_at' | 'ended_at'> & {
  /** Default: `fix`. */
  readonly kind?: SessionRecord['kind']
  /** In the order of fixing. */
  readonly issue_ids: readonly string[]
  /** Artifacts that the session needs from the beginning. */
  readonly artifacts?: readonly Pick<SessionArtifact, 'ref' | 'kind' | 'name'>[]
}

export type SessionCreation =
  | { readonly kind: 'begun'; readonly session: SessionRecord }
  /** Another living session has the same work or the same branch, or one of this work has ended since. Nothing was written. */
  | { readonly kind: 'same_work' | 'same_branch' | 'outdated'; readonly session: SessionRecord }
  /** Its repository has been registered, moved or removed since. Nothing was written. */
  | { readonly kind: 'repository_changed' }

type PatchedFields =
  | 'workflow_id'
  | 'run_id'
  | 'branch_name'
  | 'base_commit'
  | 'status'
  | 'issues_fixed'
  | 'issues_failed'
  | 'issues_skipped'
  | 'result'
  | 'ending'
  | 'cost_usd'
  | 'user_notes'

export type SessionPatch = Partial<Pick<SessionRecord, PatchedFields>> & {
  readonly waiting?: SessionWaiting | null
  readonly decision?: OpenDecision | null
  readonly plan?: SessionPlan | null
}

export interface SessionIssue {
  readonly position: number
  readonly issue: IssueRecord
  readonly outcome?: IssueFixResult
}

export type SessionLookup =
  | { readonly kind: 'one'; readonly session: SessionRecord }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly ids: readonly string[] }

export interface SessionFilter {
  readonly repository_id?: string | undefined
  /** Sessions with the same key do the same work. */
  readonly key?: string | undefined
  readonly kind?: SessionRecord['kind'] | undefined
  readonly branch?: string | undefined
  readonly running?: boolean | undefined
  readonly status?: FixStatus | undefined
  /** Only sessions that follow this one in the order of the list. */
  readonly before?: Pick<SessionRecord, 'started_at' | 'session_id'> | undefined
  readonly limit?: number | undefined
}
