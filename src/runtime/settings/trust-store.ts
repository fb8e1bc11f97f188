// What the operator trusted a repository with, kept in their home alone: the hashes of the very bytes of its .fixwright.yaml that they
// were shown, and what they go on without. A repository is its real path; a file that can't be read as ours trusts nothing.
// One file for each repository, so that two that are trusted at once don't lose each other.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Accepted, type Need, NeedKind } from '../../domain/settings/repository-requirements.ts'
import type { Home } from '../home/home.ts'

const TrustRecord = z.object({
  repository: z.string(),
  files: z.array(z.object({ sha256: z.string().length(64), at: z.string() })),
  without: z.partialRecord(NeedKind, z.array(z.string())),
})
export type TrustRecord = z.infer<typeof TrustRecord>

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function trustOf(home: Home, repository: string): TrustRecord {
  const record = readRecord(fileFor(home, repository))
  return record?.repository === repository ? record : { repository, files: [], without: {} }
}

export function isTrusted({ files }: TrustRecord, bytes: Buffer): boolean {
  const hash = hashOf(bytes)
  return files.some(({ sha256 }) => sha256 === hash)
}

/** Each with the repository it is about, in their order. */
export function allTrust(home: Home): TrustRecord[] {
  const records = namesOf(home).flatMap((name) => readRecord(join(home.trust, name)) ?? [])
  return records.sort((one, other) => (one.repository < other.repository ? -1 : 1))
}

export interface Said {
  /** The content that was shown. */
  readonly bytes?: Buffer | undefined
  readonly needs: readonly Need[]
}

/** Earlier contents stay trusted: branches may hold different ones. */
export function trust(home: Home, repository: string, { bytes, needs }: Said): TrustRecord {
  const before = trustOf(home, repository)
  const isNew = bytes !== undefined && !isTrusted(before, bytes)
  const files = isNew ? [...before.files, { sha256: hashOf(bytes), at: new Date().toISOString() }] : before.files
  const without: Accepted = { ...before.without, ...Object.fromEntries(needs.map(({ kind, what }) => [kind, what])) }
  const record = TrustRecord.parse({ repository, files, without })
  mkdirSync(home.trust, { recursive: true, mode: 0o700 })
  const file = fileFor(home, repository)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
  return record
}

/** Whether there was anything to take back. */
export function revoke(home: Home, repository: string): boolean {
  const { files, without } = trustOf(home, repository)
  rmSync(fileFor(home, repository), { force: true })
  return files.length > 0 || Object.keys(without).length > 0
}

function fileFor({ trust }: Home, repository: string): string {
  return join(trust, `${hashOf(Buffer.from(repository)).slice(0, 32)}.json`)
}

function namesOf({ trust }: Home): string[] {
  try {
    return readdirSync(trust).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

function readRecord(file: string): TrustRecord | undefined {
  try {
    return TrustRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
