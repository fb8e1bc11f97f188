// What the fixer is told about each issue besides the issue itself: what people answered, how the planner would go about it, what
// somebody noted on the plan. One brief a session; a later one replaces it. The todo files are written from it, on any host.
import { z } from 'zod'

/** How one issue is to be fixed, as the planner sees it. Field names are those of the source documents. */
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
  /** Absent where it is about all issues. */
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
  /** What a person noted on an issue of the plan. */
  notes: z.record(z.string(), z.string()),
  /** Where the planner's order broke our rules, and the like. */
  remarks: z.array(z.string()),
})
export type Brief = z.infer<typeof Brief>

export const EMPTY_BRIEF: Brief = { clarifications: [], plans: {}, notes: {}, remarks: [] }

/** What belongs to these issues alone: their own answers, and those that are for all. */
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
