import type { SessionArtifact } from '../domain/session/records.ts'

/**
 * Which session needs which artifact. Content is shared (the same prompt twice is one artifact), so it may go only when no
 * session names it any more; a session's own claims end some days after the session's end.
 */
export interface ArtifactIndex {
  /** Tying another ref to the same name replaces it: an activity that runs twice leaves the later content. */
  link(artifact: Omit<SessionArtifact, 'created_at'>): Promise<void>
  listForSession(sessionId: string, filter?: ArtifactFilter): Promise<SessionArtifact[]>
  /** The newest one of that name, whichever session made it. */
  findLatest(kind: SessionArtifact['kind'], name: string): Promise<SessionArtifact | undefined>
  /** Ends the claims of sessions that ended before this time. A session that has not ended keeps its own. */
  releaseEndedBefore(time: string): Promise<void>
  listReferencedRefs(): Promise<ReadonlySet<string>>
}

export type ArtifactFilter = Partial<Pick<SessionArtifact, 'kind' | 'name' | 'issue_code'>>
