// A gate's results on a tree, stored under its step id and read by later gates, the commit and the report.
import { z } from 'zod'
import { OutsideFile } from '../people/validate-messages.ts'
import { ChallengeVerdict } from '../stage/reply-schemas.ts'
import { TamperingFlag } from '../tampering/tampering-flag.ts'
import { anyKeyRecord } from '../text/any-key-record.ts'
import { OutputSummary } from './summaries/output-summary.ts'
import { TestOutcome } from './test-outcomes.ts'

export const VerificationRun = z.object({
  command: z.string(),
  outcome: z.string(),
  output: z.string().optional(),
  /** Standard error, if it is not part of the output. */
  errors: z.string().optional(),
  /** A setup command that failed, so that no verification command was run. */
  setup: z.literal(true).optional(),
  /** On the baseline it also passed, not long before, so passing with a fix proves nothing. */
  flaky: z.literal(true).optional(),
  /** Bytes of its output that were not kept. */
  omittedBytes: z.number().optional(),
  /** Files of the tree that it changed: its outcome is about those changes, and they are not committed. */
  changedFiles: z.array(z.string()).optional(),
  /** The outcomes of its tests, if they could be read. */
  tests: anyKeyRecord(TestOutcome).optional(),
  /** The counts that its runners printed at their end, if they are known ones. */
  summary: OutputSummary.optional(),
})
export type VerificationRun = z.infer<typeof VerificationRun>

/** Whether the tests that came with a fix fail without it. */
export const RegressionProof = z.object({
  /** The issue group that the tests are about. */
  codes: z.array(z.string()),
  verdict: z.enum(['proven', 'not_proven']),
  why: z.string(),
  /** New or changed test files. */
  files: z.array(z.string()),
  /** Commands that fail without the fix and pass with it, and their tests, if those can be read. */
  commands: z.array(z.string()),
  tests: z.array(z.string()),
})
export type RegressionProof = z.infer<typeof RegressionProof>

/** The checks' results on a fix with the tests, and what runs them, as they were. */
export const OldTestsResult = z.object({
  /** The stage's base. */
  head: z.string(),
  /** The base with the changed tests alone, a tree: it identifies them. */
  key: z.string(),
  /** The changed tests that the fix fails as they were, for a person to decide about. */
  files: z.array(OutsideFile).readonly(),
  /** All files that were put back as they were; absent where nothing had to be. */
  putBack: z.array(z.string()).readonly().optional(),
  /** Absent where nothing had to run. */
  verification: z.array(VerificationRun).readonly().optional(),
  failures: z
    .array(z.object({ command: z.string(), outcome: z.string(), tests: z.array(z.string()).readonly() }))
    .readonly(),
  /** Commands that turned green only with the changed tests. */
  unproven: z.array(z.string()).readonly(),
})
export type OldTestsResult = z.infer<typeof OldTestsResult>

/** `cached`: another session ran the commands. `unavailable`: they can't be run there any more, so the known results hold. */
const BaselineSource = z.discriminatedUnion('state', [
  z.object({ state: z.literal('measured') }),
  z.object({ state: z.literal('cached'), session: z.string(), at: z.number() }),
  z.object({ state: z.literal('unavailable') }),
])

export const GateRecord = z.object({
  tree: z.string(),
  verdicts: z.record(z.string(), ChallengeVerdict).optional(),
  whole: z.object({ score: z.number(), feedback: z.string() }).optional(),
  verification: z.array(VerificationRun).readonly().optional(),
  /** The baseline's record, if this is not the session's untouched base. */
  baseline: z.string().optional(),
  inFreshCheckout: z.literal(true).optional(),
  /** Nothing that tests, or runs tests, differs from the baseline. */
  sameTests: z.literal(true).optional(),
  /** On the base: no command left a file behind that makes a later run quicker. */
  leftNothing: z.literal(true).optional(),
  /** On a commit: commands that were red on the base, perhaps by chance. Removed once that has been checked. */
  maybeFlaky: z.array(z.string()).readonly().optional(),
  /** On a baseline: the source of its runs. */
  source: BaselineSource.optional(),
  /** Flags of changes that may silence a check, as far as there is room. */
  silenced: z.array(TamperingFlag).readonly().optional(),
  proof: RegressionProof.optional(),
  oldTests: OldTestsResult.optional(),
})
export type GateRecord = z.infer<typeof GateRecord>

/** The commands' results on an untouched commit, for the next session that starts there. */
export const CachedBaseline = z.object({
  verification: z.array(VerificationRun).readonly(),
  /** Untracked files that they left behind. */
  byProducts: z.array(z.string()).readonly(),
  /** They left nothing behind that makes a later run quicker. */
  leftNothing: z.literal(true).optional(),
  /** The session that ran them, and when, in milliseconds since the epoch. */
  session: z.string(),
  at: z.number(),
})
export type CachedBaseline = z.infer<typeof CachedBaseline>
