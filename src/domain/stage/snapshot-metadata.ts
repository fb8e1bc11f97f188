// What is written into the messages of a snapshot's commits: what the fixer's call left, and what a person let through of it.
import { z } from 'zod'
import { OutsideFile } from '../people/validate-messages.ts'
import { CallFailure } from '../session/failure.ts'
import { anyKeyRecord } from '../text/any-key-record.ts'
import { FixClaim } from './agent-replies.ts'

export const SnapshotMetadata = z.object({
  owners: anyKeyRecord(z.array(z.string()).readonly()),
  claims: z.record(z.string(), FixClaim),
  outOfScope: z.array(z.string()).readonly(),
  violations: z.array(z.string()).readonly(),
  /** What only a person can let through, and nobody had when the snapshot was taken. */
  outside: z.array(OutsideFile).readonly().optional(),
  /** What the agent did with git of its own accord: folded back, and told. */
  notes: z.array(z.string()).readonly(),
  failure: CallFailure.optional(),
})
export type SnapshotMetadata = z.infer<typeof SnapshotMetadata>

export const SnapshotApproval = z.object({ approved: z.array(z.string()).readonly() })
export type SnapshotApproval = z.infer<typeof SnapshotApproval>
