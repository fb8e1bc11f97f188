// What the scripted model does, as plain JSON: per issue how it is fixed and what proves a fix, and where the model misbehaves.
// Lists by iteration repeat their last entry. The model keeps no other state, except how often each fault has matched.

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { Fault } from './faults.ts'

/** One use of a tool of the CLI. Paths are relative to the CLI's working directory. An edit whose `old` is not there is left out. */
const Step = z.discriminatedUnion('tool', [
  z.strictObject({ tool: z.literal('edit'), file: z.string(), old: z.string(), new: z.string() }),
  z.strictObject({ tool: z.literal('write'), file: z.string(), content: z.string() }),
  z.strictObject({ tool: z.literal('bash'), command: z.string(), timeoutMs: z.number().optional() }),
])
export type Step = z.infer<typeof Step>

/** One attempt at an issue. Without steps it only claims. `reply` overrides or adds fields of the reported result. */
const Fix = z.strictObject({
  steps: z.array(Step).default([]),
  status: z.string().default('fixed'),
  summary: z.string().optional(),
  reply: z.record(z.string(), z.unknown()).optional(),
})
export type Fix = z.infer<typeof Fix>

/** What a good fix shows in the diff of `file`: an added and/or a removed line that matches (regular expressions, `m` flag). */
const Proof = z.strictObject({ file: z.string(), adds: z.string().optional(), removes: z.string().optional() })
export type Proof = z.infer<typeof Proof>

const IssueScript = z.strictObject({
  fixes: z.array(Fix).default([]),
  proof: z.array(Proof).default([]),
  scoreWhenProven: z.number().default(97),
  /** By iteration; null = from the diff. */
  scores: z.array(z.number().nullable()).optional(),
  /** By iteration; fields that override the challenger's verdict (feedback, points, status, …); null = none. */
  verdicts: z.array(z.record(z.string(), z.unknown()).nullable()).optional(),
  /** What the challenger says when the proof is missing. */
  feedback: z.string().optional(),
})
export type IssueScript = z.infer<typeof IssueScript>

/** One round of the clarifier. It is ready when it asks nothing, unless `ready` says otherwise. */
const Round = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        id: z.string().optional(),
        /** None = about all issues. */
        issue_code: z.string().optional(),
        question: z.string(),
        context: z.string().default(''),
      }),
    )
    .default([]),
  message: z.string().optional(),
  ready: z.boolean().optional(),
})

/** What the planner says of some issues; the rest of its plan is made from the prompt. */
const Plan = z.strictObject({
  issues: z
    .record(
      z.string(),
      z.strictObject({
        approach: z.string().optional(),
        steps: z.array(z.string()).optional(),
        context: z.record(z.string(), z.array(z.string())).optional(),
        verification: z.array(z.string()).optional(),
      }),
    )
    .default({}),
  execution_steps: z.array(z.array(z.string())).optional(),
})

const AnyFields = z.record(z.string(), z.unknown())

/** A review: what the experts find, how their lead puts it together, what a verifier makes of it. */
const Review = z.strictObject({
  /** By name; a finding's id gets the name before it. */
  experts: z
    .record(
      z.string(),
      z.strictObject({ findings: z.array(AnyFields).default([]), read: z.array(z.string()).optional() }),
    )
    .default({}),
  /** Experts that the lead never asks. */
  skips: z.array(z.string()).default([]),
  merged: z.array(z.strictObject({ id: z.string(), into: z.string(), reason: z.string().default('') })).default([]),
  /** Findings of earlier reviews, by id. */
  earlier: z.record(z.string(), AnyFields).default({}),
  /** Fields that override the lead's reply, by attempt. */
  replies: z.array(AnyFields).default([]),
  /** Fields that override a verdict, by the issue of its finding; null: nothing is said of it. */
  verdicts: z.record(z.string(), AnyFields.nullable()).default({}),
})

export const Scenario = z.strictObject({
  review: Review.prefault({}),
  issues: z.record(z.string(), IssueScript).default({}),
  faults: z.array(Fault).default([]),
  /** By round. After the last one nothing is asked. */
  clarify: z.array(Round).default([]),
  /** One, or by attempt where plans are rejected. */
  plan: z.union([Plan, z.array(Plan)]).default([]),
  /** Fields of each voter's reply that are not as usual. */
  votes: z.partialRecord(z.enum(['claude', 'gemini']), z.record(z.string(), z.unknown())).default({}),
  /** How long the model takes for an answer, by role, where it is not as long as for all. */
  latencyMs: z.record(z.string(), z.number()).default({}),
  /** Score of the whole diff by iteration (profile `sequential`); null or missing = the mean of the issues. */
  wholeScores: z.array(z.number().nullable()).optional(),
  /** All issues of a call in the same assistant turns, instead of one tool use after another. */
  together: z.boolean().default(false),
  /** What it says before each use of a tool. */
  says: z.string().default(''),
  /** Thinking to put before each reply. */
  thinking: z.string().optional(),
  branch: z.string().optional(),
  /** Subjects of commits, by the code of their first issue. */
  subjects: z.record(z.string(), z.string()).optional(),
})
export type Scenario = z.infer<typeof Scenario>
/** A scenario as it is written: everything with a default may be left out. */
export type ScenarioInput = z.input<typeof Scenario>

export function readScenario(file: string): Scenario {
  return Scenario.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** The entry for an iteration (1-based): the last one repeats. */
export function atIteration<T>(list: readonly T[] | undefined, iteration: number): T | undefined {
  return list?.[Math.min(iteration, list.length) - 1]
}
