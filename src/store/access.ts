import type { AccessToken, AuditRecord } from '../domain/access/access-token.ts'
import type { RequestKey } from '../domain/access/request-key.ts'

/** The tokens of the HTTP service, of which only hashes are kept. */
export interface TokenTable {
  add(token: AccessToken): Promise<void>
  get(tokenId: string): Promise<AccessToken | undefined>
  /** The newest comes first. */
  list(): Promise<AccessToken[]>
  /** Returns whether there is such a token; a second revocation leaves the time of the first. */
  revoke(tokenId: string, at: string): Promise<boolean>
  noteUse(tokenId: string, at: string): Promise<void>
}

/** Append-only: who did what over HTTP. */
export interface AuditLog {
  add(record: AuditRecord): Promise<void>
  /** At most `limit` records that are older than `before`, the newest first. */
  list(page: { readonly limit: number; readonly before?: number | undefined }): Promise<readonly NumberedAuditRecord[]>
}

export interface NumberedAuditRecord extends AuditRecord {
  readonly number: number
}

/** Idempotency keys of requests over HTTP, until their time is over. */
export interface RequestKeyTable {
  /** Takes the key unless another request has it. Returns who has it now. */
  claim(key: RequestKey): Promise<RequestKey>
  /** Sets the time and the answer; nothing where the claim has lost the key. */
  keep(key: RequestKey): Promise<void>
  release(key: Pick<RequestKey, 'key_hash' | 'claim'>): Promise<void>
}
