import type { IssueRecord, SessionArtifact } from '../domain/session/records.ts'
import type {
  IssueFixResult,
  OpenDecision,
  SessionPlan,
  SessionRecord,
  SessionWaiting,
} from '../domain/session/session.ts'

/** Sessions and what they were asked to fix. What has ended is not written again. */
export interface SessionTable {
  /** Forgets one that never started: its work turned out to be another session's, or its starter died. Whether it did. */
  discardUnstarted(sessionId: string): Promise<boolean>
  /** Whether it was written. A status that ends the session stamps its end. */
  update(sessionId: string, patch: SessionPatch): Promise<boolean>
  /** Whether the branch is this session's now: two living sessions of a repository never have the same. */
  reserveBranch(sessionId: string, repository: string, branch: string): Promise<boolean>
  get(sessionId: string): Promise<SessionRecord | undefined>
  /** By its whole id or the beginning of it. */
  findByPrefix(prefix: string): Promise<SessionLookup>
  /** The newest first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>
  /** One that waits for a person is not active; one without a run is as long as its start may still be on its way. */
  hasActiveSession(startedAfter: Date): Promise<boolean>
  findLatestByKey(key: string): Promise<SessionRecord | undefined>
  /** In the order in which they are to be fixed. */
  listIssues(sessionId: string): Promise<SessionIssue[]>
  setIssueOutcome(sessionId: string, outcome: IssueFixResult): Promise<void>
}

export type NewSession = Omit<SessionRecord, 'started_at' | 'updated_at' | 'ended_at'> & {
  /** In the order in which they are to be fixed. */
  readonly issue_ids: readonly string[]
  /** Artifacts that it needs from the beginning. */
  readonly artifacts?: readonly Pick<SessionArtifact, 'ref' | 'kind' | 'name'>[]
}

export type SessionCreation =
  | { readonly kind: 'begun'; readonly session: SessionRecord }
  /** Another that lives, at the same work or on the same branch; or one of this work that has ended since. Nothing was written. */
  | { readonly kind: 'same_work' | 'same_branch' | 'outdated'; readonly session: SessionRecord }

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
  readonly repository?: string | undefined
  /** Of the same work. */
  readonly key?: string | undefined
  readonly branch?: string | undefined
  readonly running?: boolean | undefined
  readonly limit?: number | undefined
}
