import type { Grant, KnownAnswer, MessageRecord } from '../domain/session/store-records.ts'

/** The messages to a session, with their outcomes, in the order of writing. Append-only; each key is there once. */
export interface MessageLog {
  /** Texts come from outside, so each is cut to a maximum length. */
  add(sessionId: string, messages: readonly MessageRecord[]): Promise<void>
  listForSession(sessionId: string): Promise<MessageRecord[]>
}

/**
 * People's answers to questions about issues. They outlive the session: if the same issue comes back in the same repository with the
 * same text, nobody is asked again.
 */
export interface AnswerTable {
  /** Keeps the first answer to each question about each issue of a session, so that an activity can run twice. */
  add(answer: KnownAnswer): Promise<void>
  /** The latest answer to each question about these issues, in the order of answering. */
  listForIssues(repositoryId: string, issues: readonly IssueTextKey[]): Promise<KnownAnswer[]>
}

export interface IssueTextKey {
  readonly issue_code: string
  /** From `issueTextHash`. */
  readonly text_hash: string
}

/**
 * Paths outside the scope that a person allowed, for one session or for every later one of a repository. A path is stored as given;
 * the domain decides what it covers.
 */
export interface GrantTable {
  /** A second grant of the same path leaves the first one, with its person and time. */
  add(grant: Grant): Promise<void>
  /** The paths that this session may change besides its scope: its own and its repository's. */
  listAllowedPaths(repositoryId: string, sessionId: string): Promise<string[]>
  /** The grants for every session of the repository. */
  listForRepository(repositoryId: string): Promise<Grant[]>
  /** Returns whether the repository had the grant. Grants for single sessions end with them. */
  remove(repositoryId: string, path: string): Promise<boolean>
}
