// A finding of a review: as a reviewer reports it, and as we keep it, with an id of ours, a place that was checked, and a verdict.
import { z } from 'zod'
import { Severity } from '../issue/issue.ts'
import { Effect, Reach } from './severity.ts'

/** `old`: the quote stands in the file as it was before the change. */
export const FindingSide = z.enum(['new', 'old'])
export type FindingSide = z.infer<typeof FindingSide>

export const FindingAge = z.enum(['introduced', 'pre_existing'])

const Effort = z.number().int().min(1).max(5)
const FilesCount = z.number().int().min(1)

export const ReportedFinding = z.object({
  /** The reviewer's own, unique in its report. */
  id: z.string().min(1).max(80),
  file: z.string().min(1),
  /** `45` or `45-67`. */
  line: z.union([z.string(), z.number().transform(String)]).nullish(),
  side: FindingSide.default('new'),
  /** One to three lines of the file, word for word; empty if what is missing stands nowhere. */
  quote: z.string(),
  issue: z.string().min(1),
  /** With which input or state, what happens. */
  failure: z.string().min(1),
  effect: Effect,
  reach: Reach,
  /** May only lower what follows from the effect. */
  severity: z.string().nullish(),
  origin: FindingAge.default('introduced'),
  category: z.string().default('other'),
  fix_hint: z.string().nullish(),
  estimated_effort: Effort.nullish(),
  estimated_files_count: FilesCount.nullish(),
  /** Who found it. */
  experts: z.array(z.string()).default([]),
  /** What is new since a person dismissed it, or since it was refuted. */
  new_evidence: z.string().nullish(),
})
export type ReportedFinding = z.infer<typeof ReportedFinding>

const Line = z.number().int().positive()

/** Where a finding stands in the pinned commit. `moved`: not at the reported line, and its quote stands there once. */
export const Anchor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anchored'), line: Line, end_line: Line, note: z.string().optional() }),
  z.object({ kind: z.literal('moved'), line: Line, end_line: Line, note: z.string() }),
  z.object({ kind: z.literal('unanchored'), note: z.string() }),
])
export type Anchor = z.infer<typeof Anchor>

export const ReviewFinding = z.object({
  /** `F001` and so on, in the order of file and line. */
  id: z.string().regex(/^F\d{3,}$/),
  /** The reviewer's id. Two findings with one alias stay two findings. */
  alias: z.string(),
  file: z.string(),
  side: FindingSide,
  quote: z.string(),
  anchor: Anchor,
  title: z.string(),
  failure: z.string(),
  effect: Effect,
  reach: Reach,
  severity: Severity,
  origin: FindingAge,
  category: z.string(),
  suggested_fix: z.string().optional(),
  estimated_effort: Effort.optional(),
  estimated_files_count: FilesCount.optional(),
  experts: z.array(z.string()),
  new_evidence: z.string().optional(),
  /** The index of its group: the findings of one group can be fixed independently of each other. */
  group: z.number().int().nonnegative(),
})
export type ReviewFinding = z.infer<typeof ReviewFinding>

/** A place that a verifier names. It counts only if the quote stands there. */
export const Evidence = z.object({
  file: z.string(),
  line: z.union([z.string(), z.number().transform(String)]).nullish(),
  quote: z.string(),
})
export type Evidence = z.infer<typeof Evidence>

/** Each finding ends in exactly one of these. */
export const FindingVerdict = z.discriminatedUnion('state', [
  z.object({ state: z.literal('confirmed'), reason: z.string(), evidence: z.array(Evidence) }),
  z.object({ state: z.literal('refuted'), reason: z.string(), evidence: z.array(Evidence) }),
  z.object({ state: z.literal('unverified'), reason: z.string() }),
  z.object({ state: z.literal('merged'), into: z.string(), reason: z.string() }),
])
export type FindingVerdict = z.infer<typeof FindingVerdict>

export const ClassifiedFinding = ReviewFinding.extend({
  verdict: FindingVerdict,
  /** The fingerprint of its line in the reviewed commit. */
  line_hash: z.string().optional(),
})
export type ClassifiedFinding = z.infer<typeof ClassifiedFinding>
