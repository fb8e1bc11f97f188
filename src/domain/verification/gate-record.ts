// What a gate found out about a tree: stored under the name of its step, and read back by later gates, the commit and the report.
import { z } from 'zod'
import { ChallengeVerdict } from '../stage/agent-replies.ts'
import { TamperingFlag } from '../tampering/flag.ts'
import { anyKeyRecord } from '../text/any-key-record.ts'
import { TestOutcome } from './test-outcomes.ts'

/** One command of the verification, run once. */
export const VerificationRun = z.object({
  command: z.string(),
  outcome: z.string(),
  output: z.string().optional(),
  /** What it printed to standard error, where that is not among the output. */
  errors: z.string().optional(),
  /** It was to prepare the commands, and failed: none of them was run. */
  setup: z.literal(true).optional(),
  /** On the base: it passed there as well, not long before. Where it passes with a fix, that has mended nothing. */
  flaky: z.literal(true).optional(),
  /** So many bytes of its output were not kept. */
  omittedBytes: z.number().optional(),
  /** Files of the tree that it changed: what it said is about those changes, and they are not committed. */
  changedFiles: z.array(z.string()).optional(),
  /** How its tests came out, where that could be read. */
  tests: anyKeyRecord(TestOutcome).optional(),
})
export type VerificationRun = z.infer<typeof VerificationRun>

/** Whether the tests that came with a fix fail without it. */
export const RegressionProof = z.object({
  /** An issue group: the issues that the tests are about. */
  codes: z.array(z.string()),
  verdict: z.enum(['proven', 'not_proven']),
  /** In a sentence. */
  why: z.string(),
  /** The test files that are new or changed. */
  files: z.array(z.string()),
  /** What fails without the fix and passes with it: commands, and of them the tests, where those can be read. */
  commands: z.array(z.string()),
  tests: z.array(z.string()),
})
export type RegressionProof = z.infer<typeof RegressionProof>

/** `cached`: another session ran the commands. `unavailable`: they can't be run there any more, so what was known holds. */
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
  /** The record of what this tree stands on, where that is not the session's untouched base. */
  baseline: z.string().optional(),
  /** The commands were run in a fresh checkout of the tree. */
  inFreshCheckout: z.literal(true).optional(),
  /** Of the base: no command made a file that was still there in the end. */
  leftNothing: z.literal(true).optional(),
  /** Of a commit: the commands that were red on the base, and may have come out as they did by chance. Gone once that was looked at. */
  maybeFlaky: z.array(z.string()).readonly().optional(),
  /** Of a baseline: where its runs come from. */
  source: BaselineSource.optional(),
  /** What in the diff may silence a check, as far as there is room for it. */
  silenced: z.array(TamperingFlag).readonly().optional(),
  proof: RegressionProof.optional(),
})
export type GateRecord = z.infer<typeof GateRecord>

/** What the commands said on an untouched commit, for the next session that starts there. */
export const CachedBaseline = z.object({
  verification: z.array(VerificationRun).readonly(),
  /** What they left behind untracked. */
  byProducts: z.array(z.string()).readonly(),
  /** Nothing at all, not even what is ignored. */
  leftNothing: z.literal(true).optional(),
  /** The session that ran them, and when, in milliseconds since the epoch. */
  session: z.string(),
  at: z.number(),
})
export type CachedBaseline = z.infer<typeof CachedBaseline>
