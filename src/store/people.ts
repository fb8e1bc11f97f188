// What people said, answered and allowed, three tables of the store.
import type { Grant, KnownAnswer, MessageRecord } from '../domain/session/records.ts'

/** What was said to a session, and what became of it. Append-only, each key once, in the order in which it was written. */
export interface MessageLog {
  /** Texts come from outside, so each is kept to a length. */
  add(sessionId: string, messages: readonly MessageRecord[]): Promise<void>
  listForSession(sessionId: string): Promise<MessageRecord[]>
}

/**
 * What people answered to questions about issues. It outlives the session: where the same issue comes back in the same
 * repository and still says the same, nobody is asked a second time.
 */
export interface AnswerTable {
  /** Once for each question and issue of a session: an activity that runs twice keeps one. */
  add(answer: KnownAnswer): Promise<void>
  /** The latest answer to each question about one of these issues, in the order in which they were given. */
  listForIssues(repository: string, issues: readonly IssueTextKey[]): Promise<KnownAnswer[]>
}

export interface IssueTextKey {
  readonly issue_code: string
  /** By `issueTextHash`. */
  readonly text_hash: string
}

/**
 * Paths outside of the scope that a person allowed, for one session or for every later one of a repository.
 * They are kept as they were given and never widened: what a path covers is the domain's to say.
 */
export interface GrantTable {
  /** The same path again leaves the first: it was allowed then, by them. */
  add(grant: Grant): Promise<void>
  /** What this session may change besides its scope: its own paths and its repository's. */
  listAllowedPaths(repository: string, sessionId: string): Promise<string[]>
  /** Those that hold for every session of the repository. */
  listForRepository(repository: string): Promise<Grant[]>
  /** Whether the repository had it. What was allowed for single sessions ends with them. */
  remove(repository: string, path: string): Promise<boolean>
}
