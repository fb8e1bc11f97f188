// Metadata in the messages of a snapshot's commits: the outcome of the fixer's call, and a person's approval.
import { z } from 'zod'
import { OutsideFile } from '../people/validate-messages.ts'
import { CallFailure } from '../session/failure.ts'
import { anyKeyRecord } from '../text/any-key-record.ts'
import { FixClaim } from './reply-schemas.ts'

/** A changed place of a file with several owners: lines of the stage's base, and those that replace them in the snapshot. */
const StoredPart = z.object({
  codes: z.array(z.string()).readonly(),
  start: z.number(),
  count: z.number(),
  newStart: z.number(),
  newCount: z.number(),
})
export type StoredPart = z.infer<typeof StoredPart>

/** `gone`: nobody was asked, because the file is not there any more. */
const StoredClaim = FixClaim.extend({ gone: z.literal(true).optional() })
export type StoredClaim = z.infer<typeof StoredClaim>

export const SnapshotMetadata = z.object({
  owners: anyKeyRecord(z.array(z.string()).readonly()),
  /** The parts of files whose parts have different owners. */
  parts: anyKeyRecord(z.array(StoredPart).readonly()).optional(),
  /** Files that nobody claims and of which nothing tells whose they are: taken with all their owners, they bind none. */
  unclaimed: z.array(z.string()).readonly().optional(),
  claims: z.record(z.string(), StoredClaim),
  outOfScope: z.array(z.string()).readonly(),
  violations: z.array(z.string()).readonly(),
  /** Files that only a person can allow, and nobody had when the snapshot was taken. */
  outside: z.array(OutsideFile).readonly().optional(),
  /** Git actions of the agent's own, which were undone and reported. */
  notes: z.array(z.string()).readonly(),
  failure: CallFailure.optional(),
})
export type SnapshotMetadata = z.infer<typeof SnapshotMetadata>

export const SnapshotApproval = z.object({ approved: z.array(z.string()).readonly() })
export type SnapshotApproval = z.infer<typeof SnapshotApproval>
