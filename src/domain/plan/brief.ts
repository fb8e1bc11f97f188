// The brief holds what the fixer gets besides the issues: people's answers, the planner's approach, notes on the plan. A session has
// one; a later one replaces it. The todo files are written from it, on any host.
import { z } from 'zod'

/** The planner's approach to one issue. The fields are named as in the source documents. */
export const IssuePlan = z.object({
  context: z
    .object({
      snippets: z.array(z.string()).default([]),
      related_files: z.array(z.string()).default([]),
      existing_patterns: z.array(z.string()).default([]),
    })
    .prefault({}),
  approach: z.string().default(''),
  steps: z.array(z.string()).default([]),
  verification: z.array(z.string()).default([]),
})
export type IssuePlan = z.infer<typeof IssuePlan>

export const Clarification = z.object({
  id: z.string(),
  /** Absent if it is about all issues. */
  issue_code: z.string().optional(),
  question: z.string(),
  context: z.string().default(''),
  answer: z.string(),
  answered_by: z.string(),
  answered_at: z.string(),
})
export type Clarification = z.infer<typeof Clarification>

export const Brief = z.object({
  clarifications: z.array(Clarification),
  plans: z.record(z.string(), IssuePlan),
  /** People's notes on issues of the plan. */
  notes: z.record(z.string(), z.string()),
  /** Corrections of the planner's order and the like. */
  remarks: z.array(z.string()),
})
export type Brief = z.infer<typeof Brief>

export const EMPTY_BRIEF: Brief = { clarifications: [], plans: {}, notes: {}, remarks: [] }

/** The parts about these issues, and answers about all issues. */
export function filterBrief({ clarifications, plans, notes, remarks }: Brief, codes: readonly string[]): Brief {
  const own = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([code]) => codes.includes(code)))
  return {
    clarifications: clarifications.filter(({ issue_code }) => issue_code === undefined || codes.includes(issue_code)),
    plans: own(plans),
    notes: own(notes),
    remarks,
  }
}
