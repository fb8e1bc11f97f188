// Artifacts: prompts, replies, transcripts, thinking logs, todo lists, diffs, outputs. Kept by content: the reference is the hash,
// so the same content is there once, putting it twice is putting it once, and what comes back is what was put or an error.
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

export type ArtifactContent = string | Uint8Array | Readable | { readonly file: string }

export interface StoredArtifact {
  /** `sha256:…`, what records carry. */
  readonly ref: string
  readonly bytes: number
}

export interface ListedArtifact extends StoredArtifact {
  /** When it was last put, in milliseconds since the epoch. */
  readonly putAt: number
}

/** What a store of artifacts has to offer; an object store can. */
export interface ArtifactStore {
  /** A file is copied as a stream, whatever its size; it stays where it is. */
  put(content: ArtifactContent): Promise<StoredArtifact>
  /** The stream fails at its end where it was not what was put. */
  get(ref: string): Promise<Readable>
  getText(ref: string): Promise<string>
  /** At most so many bytes of text from its beginning, never cut inside a character. */
  head(ref: string, bytes: number): Promise<string>
  tail(ref: string, bytes: number): Promise<string>
  list(): AsyncIterable<ListedArtifact>
  /** Does nothing where it was put again since `putBefore`. True: it is gone now. */
  remove(ref: string, putBefore: number): Promise<boolean>
  /** Clears away what writers that died left half-written before this time. */
  removeUnfinished(before: number): Promise<void>
  /** Where a person can look at it with tools of their own: a path or an address, if this kind of store has one. */
  location(ref: string): string | undefined
}

/** What a content will be called, before it is put. */
export function computeArtifactRef(content: string | Uint8Array): string {
  return toArtifactRef(createHash('sha256').update(content).digest('hex'))
}

export function toArtifactRef(hash: string): string {
  return `sha256:${hash}`
}

/** References come from records and command lines; only a hash may become part of a path or a key. */
export function parseArtifactRef(ref: string): string {
  const [, hash] = /^sha256:([0-9a-f]{64})$/.exec(ref) ?? []
  if (hash === undefined) throw new RangeError(`"${ref}" is no reference to an artifact (sha256:…)`)
  return hash
}
