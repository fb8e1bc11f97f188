// Artifacts are prompts, replies, transcripts, thinking logs, todo lists, diffs and outputs. An artifact's reference is its hash, so
// equal content is stored once, and a read returns what was put, or fails.
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

export type ArtifactContent = string | Uint8Array | Readable | { readonly file: string }

export interface StoredArtifact {
  /** `sha256:…`, as in records. */
  readonly ref: string
  readonly bytes: number
}

export interface ListedArtifact extends StoredArtifact {
  /** When it was last put, in milliseconds since the epoch. */
  readonly putAt: number
}

export interface ArtifactStore {
  /** Copies a file of any size; the file itself stays where it is. */
  put(content: ArtifactContent): Promise<StoredArtifact>
  /** The stream fails at its end if the content is damaged. */
  get(ref: string): Promise<Readable>
  getText(ref: string): Promise<string>
  /** The text of at most `bytes` bytes from the beginning, never cut inside a character. */
  head(ref: string, bytes: number): Promise<string>
  tail(ref: string, bytes: number): Promise<string>
  list(): AsyncIterable<ListedArtifact>
  /** Does nothing if the artifact was put again since `putBefore`. Returns whether it was removed. */
  remove(ref: string, putBefore: number): Promise<boolean>
  /** Removes what dead writers left half-written before this time. */
  removeUnfinished(before: number): Promise<void>
  /** A path or address for people to open with their own tools, if this kind of store has one. */
  location(ref: string): string | undefined
  /** Present if the content lies elsewhere than in the home. */
  readonly bucket?: BucketDuties | undefined
}

/** What a store on another machine needs besides: content waits in the home until the bucket has it. */
export interface BucketDuties {
  /**
   * Sends all that waits in the home. Fails while some of it, or of what is needed, can't be sent; what is under way then goes on beyond a
   * limit of the wait.
   */
  sendWaiting(wait?: SendWait): Promise<void>
  /** Lists the content that has not been sent yet. */
  listWaiting(): AsyncIterable<ListedArtifact>
  /** Has the bucket delete content by itself, at the earliest this many days after the end of the session that needed it. */
  setExpiry(days: number): Promise<void>
  /** Begins the days of content anew if a day of them has passed. */
  renew(ref: string): Promise<void>
  /** Writes, reads and removes a probe. */
  probe(): Promise<void>
  /** The days after which the bucket deletes content by itself; undefined if no rule of ours is there. */
  readExpiry(): Promise<number | undefined>
}

export interface SendWait {
  readonly withinMs?: number
  readonly signal?: AbortSignal
  /** The references that somebody waits for: they wait for no other content, and other content that can't be sent is no failure for them. */
  readonly needed?: () => Promise<readonly string[]>
}

/** The reference of content that need not be stored yet. */
export function computeArtifactRef(content: string | Uint8Array): string {
  return toArtifactRef(createHash('sha256').update(content).digest('hex'))
}

export function toArtifactRef(hash: string): string {
  return `sha256:${hash}`
}

const ARTIFACT_REF = /^sha256:([0-9a-f]{64})$/

export function isArtifactRef(ref: string): boolean {
  return ARTIFACT_REF.test(ref)
}

/** References come from records and command lines; only a hash may become part of a path or a key. */
export function parseArtifactRef(ref: string): string {
  const [, hash] = ARTIFACT_REF.exec(ref) ?? []
  if (hash === undefined) throw new RangeError(`"${ref}" is no reference to an artifact (sha256:…)`)
  return hash
}
