// What a fixer answers about the findings that it was given: one outcome for each, with the reason.
import { z } from 'zod'

/** From the best to the worst: of two contradicting answers about one finding the worse one counts. */
export const FIX_OUTCOMES = ['fixed', 'deferred', 'blocked'] as const
export const FixOutcomeName = z.enum(FIX_OUTCOMES)
export type FixOutcomeName = z.infer<typeof FixOutcomeName>

export const ReportedOutcome = z.object({ id: z.string(), outcome: FixOutcomeName, explanation: z.string() })
export type ReportedOutcome = Readonly<z.infer<typeof ReportedOutcome>>

export function worseOutcome(one: ReportedOutcome, other: ReportedOutcome): ReportedOutcome {
  return FIX_OUTCOMES.indexOf(other.outcome) > FIX_OUTCOMES.indexOf(one.outcome) ? other : one
}

/** Reasons that a person should read twice: each is more often a preference than an obstacle. They reject nothing. */
const EXCUSES: Readonly<Record<string, RegExp>> = {
  'out of scope':
    /\b(?:out(?:side)?[ -]of[ -](?:the )?scope|beyond (?:the|this) scope|outside (?:the|this|my) scope)\b/i,
  'pre-existing': /\b(?:pre-?existing|existed before|already (?:there|present) before|legacy (?:code|issue))\b/i,
  'too complex': /\b(?:too (?:complex|complicated|large|big|invasive|risky)|major refactor(?:ing)?)\b/i,
  'not my change':
    /\b(?:not (?:my|our|from (?:my|this)) (?:change|code|fault|responsibility)|unrelated to (?:my|this|the) change)\b/i,
  'takes too long':
    /\b(?:(?:takes?|would take|need(?:s|ed)?) (?:too (?:long|much time)|(?:much )?more time)|time[- ]consuming|no time)\b/i,
}

export function findExcuses(explanation: string): string[] {
  return Object.entries(EXCUSES).flatMap(([name, words]) => (words.test(explanation) ? [name] : []))
}
