// What remains to be done by somebody after a session: one record for each finding that was not fixed, ready to become an issue on a forge.

import { z } from 'zod'
import { IssueCode, Severity } from '../issue/issue.ts'
import { truncateText } from '../text/truncate.ts'
import { FixAttempt, type TrackedFinding, TrackerCounts } from './tracker.ts'

export const LeftoverRecord = z.object({
  /** The finding's code, unique in its session. */
  id: z.string(),
  title: z.string(),
  description: z.string(),
  file: z.string(),
  /** `45` or `45-67`. */
  line: z.string().optional(),
  severity: Severity,
  category: z.string().optional(),
  suggested_fix: z.string().optional(),
  status: z.enum(['blocked', 'deferred', 'untried']),
  reason: z.string(),
  attempts: z.array(FixAttempt),
  /** Names of excuses in the reasons. */
  excuses: z.array(z.string()),
})
export type LeftoverRecord = z.infer<typeof LeftoverRecord>

/** What became of the findings of a session, in its result. */
export const FindingsEnd = TrackerCounts.extend({ leftovers: z.array(LeftoverRecord) })
export type FindingsEnd = z.infer<typeof FindingsEnd>

export type LeftFinding = Omit<LeftoverRecord, 'id' | 'status' | 'reason' | 'attempts' | 'excuses'>

/** Undefined for what is fixed or dismissed. */
export function toLeftover(
  { id, status, attempts, reason = '' }: TrackedFinding,
  finding: LeftFinding,
): LeftoverRecord | undefined {
  if (status === 'fixed' || status === 'dismissed') return undefined
  const words = [reason, ...attempts.map(({ explanation }) => explanation)]
  return {
    id,
    title: finding.title,
    description: finding.description,
    file: finding.file,
    ...(finding.line === undefined ? {} : { line: finding.line }),
    severity: finding.severity,
    ...(finding.category === undefined ? {} : { category: finding.category }),
    ...(finding.suggested_fix === undefined ? {} : { suggested_fix: finding.suggested_fix }),
    status: status === 'open' ? 'untried' : status,
    reason,
    attempts: [...attempts],
    excuses: [...new Set(words.flatMap(findExcuses))],
  }
}

/** An issue on a forge, as it would be created. */
export const LeftoverIssue = z.object({
  /** Names the finding for good: whoever creates the issue looks for the key first. */
  key: z.string(),
  title: z.string(),
  /** Markdown. */
  body: z.string(),
})
export const LeftoverIssues = z.array(LeftoverIssue)
export type LeftoverIssue = Readonly<z.infer<typeof LeftoverIssue>>

const MAX_TITLE = 120

export function renderLeftoverIssue(sessionId: string, leftover: LeftoverRecord): LeftoverIssue {
  const { id, title, description, file, line, severity, category, suggested_fix } = leftover
  const { status, reason, attempts, excuses } = leftover
  const place = line === undefined ? file : `${file}:${line}`
  return {
    key: `${sessionId}:${IssueCode.parse(id)}`,
    title: truncateText(`${place}: ${title}`, MAX_TITLE),
    body: [
      description,
      `- place: \`${place}\`\n- severity: ${severity}${category === undefined ? '' : `\n- category: ${category}`}`,
      ...(suggested_fix === undefined ? [] : [`Suggested: ${suggested_fix}`]),
      `**${status}**: ${reason || 'no reason was given'}`,
      ...(attempts.length === 0
        ? []
        : [attempts.map(({ outcome, explanation }, at) => `${at + 1}. ${outcome}: ${explanation}`).join('\n')]),
      ...(excuses.length === 0 ? [] : [`Read the reasons twice: they sound like "${excuses.join('", "')}".`]),
    ].join('\n\n'),
  }
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
