// Stores what the operator trusts, in their home alone: the hashes of a repository's .fixwright.yaml files and the requirements that they
// go on without. Each repository (by real path) has its own file, so that concurrent writes don't lose each other.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type AcceptedRequirements,
  type RepositoryRequirement,
  RequirementKind,
} from '../../domain/settings/repository-requirements.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import type { HomePaths } from '../home/home.ts'

const TrustRecord = z.object({
  repository: z.string(),
  files: z.array(z.object({ sha256: z.string().length(64), at: z.string() })),
  without: z.partialRecord(RequirementKind, z.array(z.string())),
})
export type TrustRecord = z.infer<typeof TrustRecord>

export function hashBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function loadTrust(home: HomePaths, repository: string): TrustRecord {
  const record = readTrustRecord(trustFilePath(home, repository))
  return record?.repository === repository ? record : { repository, files: [], without: {} }
}

export function isTrusted({ files }: TrustRecord, bytes: Buffer): boolean {
  const hash = hashBytes(bytes)
  return files.some(({ sha256 }) => sha256 === hash)
}

/** All records, sorted by repository. */
export function listTrust(home: HomePaths): TrustRecord[] {
  const records = listTrustFiles(home).flatMap((name) => readTrustRecord(join(home.trustFolder, name)) ?? [])
  return records.sort((one, other) => (one.repository < other.repository ? -1 : 1))
}

export interface TrustGrant {
  /** The content that the operator was shown. */
  readonly bytes?: Buffer | undefined
  readonly needs: readonly RepositoryRequirement[]
}

/** Earlier contents stay trusted: branches may have different ones. */
export function recordTrust(home: HomePaths, repository: string, { bytes, needs }: TrustGrant): TrustRecord {
  const before = loadTrust(home, repository)
  const isNew = bytes !== undefined && !isTrusted(before, bytes)
  const files = isNew ? [...before.files, { sha256: hashBytes(bytes), at: new Date().toISOString() }] : before.files
  const without: AcceptedRequirements = {
    ...before.without,
    ...Object.fromEntries(needs.map(({ kind, items }) => [kind, items])),
  }
  const record = TrustRecord.parse({ repository, files, without })
  mkdirSync(home.trustFolder, { recursive: true, mode: 0o700 })
  writeFileAtomically(trustFilePath(home, repository), `${JSON.stringify(record, null, 2)}\n`, 0o600)
  return record
}

/** Returns whether there was any trust to revoke. */
export function revokeTrust(home: HomePaths, repository: string): boolean {
  const { files, without } = loadTrust(home, repository)
  rmSync(trustFilePath(home, repository), { force: true })
  return files.length > 0 || Object.keys(without).length > 0
}

function trustFilePath({ trustFolder }: HomePaths, repository: string): string {
  return join(trustFolder, `${hashBytes(Buffer.from(repository)).slice(0, 32)}.json`)
}

function listTrustFiles({ trustFolder }: HomePaths): string[] {
  try {
    return readdirSync(trustFolder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

function readTrustRecord(file: string): TrustRecord | undefined {
  try {
    return TrustRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
