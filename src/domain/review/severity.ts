// How severe a finding is follows from what fails and how one gets there, never from a reviewer's mood: one table for all reviewers.
import { z } from 'zod'
import type { Severity } from '../issue/issue.ts'

/** What happens where the failure strikes. */
export const Effect = z.enum([
  'data_loss',
  'security_breach',
  'crash',
  'wrong_result',
  'degraded',
  'harder_to_change',
  'none',
])
export type Effect = z.infer<typeof Effect>

/** How one gets there: on the normal path, with a realistic input, or only under conditions that the failure names. */
export const Reach = z.enum(['normal', 'realistic', 'stated_conditions'])
export type Reach = z.infer<typeof Reach>

const SEVERITIES: Readonly<Record<Effect, Readonly<Record<Reach, Severity>>>> = {
  data_loss: { normal: 'critical', realistic: 'critical', stated_conditions: 'high' },
  security_breach: { normal: 'critical', realistic: 'critical', stated_conditions: 'high' },
  crash: { normal: 'critical', realistic: 'high', stated_conditions: 'medium' },
  wrong_result: { normal: 'high', realistic: 'high', stated_conditions: 'medium' },
  degraded: { normal: 'medium', realistic: 'medium', stated_conditions: 'low' },
  harder_to_change: { normal: 'low', realistic: 'low', stated_conditions: 'info' },
  none: { normal: 'info', realistic: 'info', stated_conditions: 'info' },
}

const ORDER: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical']
const SYNONYMS: Readonly<Record<string, Severity>> = { major: 'high', minor: 'low' }

/** The reviewer's own word can only lower what follows from the failure. */
export function deriveSeverity(failure: {
  readonly effect: Effect
  readonly reach: Reach
  readonly severity?: string | undefined
}): Severity {
  const derived = SEVERITIES[failure.effect][failure.reach]
  const own = parseSeverityWord(failure.severity)
  return own === undefined || compareSeverity(own, derived) > 0 ? derived : own
}

/** Two reports of one failure: the higher severity, lowered by a step if the other is lower still. */
export function mergeSeverity(one: Severity, other: Severity): Severity {
  const [low, high] = [one, other].map((each) => ORDER.indexOf(each)).sort((a, b) => a - b) as [number, number]
  return ORDER[high - low > 1 ? high - 1 : high] ?? one
}

/** Above zero if the first is more severe. */
export function compareSeverity(one: Severity, other: Severity): number {
  return ORDER.indexOf(one) - ORDER.indexOf(other)
}

function parseSeverityWord(word: string | undefined): Severity | undefined {
  const name = word?.trim().toLowerCase() ?? ''
  return ORDER.find((each) => each === (Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : name))
}
