import type { SessionArtifact } from '../domain/session/records.ts'

/**
 * Records which session needs which artifact. Sessions share equal content, so it may be removed only when no session references it.
 * A session's references end some days after the session.
 */
export interface ArtifactIndex {
  /** A second link of the same name replaces the first: an activity that runs twice leaves the later content. */
  link(artifact: Omit<SessionArtifact, 'created_at'>): Promise<void>
  listForSession(sessionId: string, filter?: ArtifactFilter): Promise<SessionArtifact[]>
  /** The newest artifact of that name in any session. */
  findLatest(kind: SessionArtifact['kind'], name: string): Promise<SessionArtifact | undefined>
  /** Removes the references of sessions that ended before this time. */
  releaseEndedBefore(time: string): Promise<void>
  listReferencedRefs(): Promise<ReadonlySet<string>>
}

export type ArtifactFilter = Partial<Pick<SessionArtifact, 'kind' | 'name' | 'issue_code'>>
