// The way of one issue, from the check whether it is to be fixed to what became of it.
import { z } from 'zod'
import { IssueStatus } from '../../issue/issue.ts'
import { defineEvent, type EventSubject, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'

/** The issue's share of what its calls cost. */
const IssueSpending = z.object({
  cost_usd: z.number().optional(),
  cost_partial: z.literal(true).optional(),
  tokens: z.number().optional(),
})
type IssueSpending = z.infer<typeof IssueSpending>

const VALIDATING = defineEvent(
  'fix_issue_validating',
  eventData({ status: IssueStatus, file: z.string() }),
  ({ status, file }) => `is ${status}, about ${file}`,
)

const ANALYZING = defineEvent(
  'fix_issue_analyzing',
  eventData({ label: z.string() }),
  ({ label }) => `planned into ${label}`,
)

const STARTED = defineEvent('fix_issue_started', eventData({ title: z.string() }), ({ title }) => title)

const GENERATING = defineEvent('fix_issue_generating', eventData({ file: z.string() }), ({ file }) => `fixing ${file}`)

const REGENERATING = defineEvent(
  'fix_issue_regenerating',
  eventData({ file: z.string(), iteration: z.number() }),
  ({ file, iteration }) => `fixing ${file} again, with what the gates said (attempt ${iteration})`,
)

const COMMITTED = defineEvent(
  'fix_issue_committed',
  eventData({
    /** All issues of the commit. */
    codes: Texts,
    /** The first line of the commit message. */
    subject: z.string(),
    /** Neither a challenger nor a command vouches for the commit. */
    unproven: z.literal(true).optional(),
    ...IssueSpending.shape,
  }),
  ({ subject, unproven }, { commit_sha = '' }) =>
    `${commit_sha.slice(0, 10)} ${subject}${unproven ? ' · unproven' : ''}`,
)

const COMPLETED = defineEvent(
  'fix_issue_completed',
  eventData({ title: z.string(), codes: Texts, ...IssueSpending.shape }),
  ({ title }) => title,
)

const IssueEnd = eventData({
  reason: z.string(),
  /** A false positive names who agreed, and in which call. */
  false_positive: z.literal(true).optional(),
  agreed_by: z.string().optional(),
  call: z.string().optional(),
  ...IssueSpending.shape,
})
const FAILED = defineEvent('fix_issue_failed', IssueEnd, ({ reason }) => reason)
const SKIPPED = defineEvent('fix_issue_skipped', IssueEnd, ({ reason }) => reason)

export const ISSUE_EVENTS = [
  VALIDATING,
  ANALYZING,
  STARTED,
  GENERATING,
  REGENERATING,
  COMMITTED,
  COMPLETED,
  FAILED,
  SKIPPED,
] as const

/** An event about one issue of a session. */
type IssueSubject = EventSubject & { readonly issue_code: string }

export function fixIssueValidating(facts: { status: IssueStatus; file: string }, issue: IssueSubject) {
  return VALIDATING.create(`${issue.issue_code}/validating`, facts, issue)
}

/** `label`: of the batch that it is planned into. */
export function fixIssueAnalyzing(label: string, issue: IssueSubject) {
  return ANALYZING.create(`${issue.issue_code}/analyzing`, { label }, issue)
}

export function fixIssueStarted(title: string, issue: IssueSubject) {
  return STARTED.create(`${issue.issue_code}/started`, { title }, issue)
}

export function fixIssueGenerating({ stepId, file }: { stepId: string; file: string }, issue: IssueSubject) {
  return GENERATING.create(`${stepId}/${issue.issue_code}/generating`, { file }, issue)
}

export interface RegeneratingFacts {
  readonly stepId: string
  readonly file: string
  readonly iteration: number
}

export function fixIssueRegenerating({ stepId, file, iteration }: RegeneratingFacts, issue: IssueSubject) {
  return REGENERATING.create(`${stepId}/${issue.issue_code}/generating`, { file, iteration }, issue)
}

export interface IssueCommittedFacts extends IssueSpending {
  readonly codes: readonly string[]
  readonly subject: string
  readonly unproven: boolean
}

export function fixIssueCommitted({ unproven, ...facts }: IssueCommittedFacts, issue: IssueSubject) {
  return COMMITTED.create(`${issue.issue_code}/committed`, { ...facts, ...(unproven && { unproven }) }, issue)
}

export interface IssueCompletedFacts extends IssueSpending {
  readonly title: string
  readonly codes: readonly string[]
}

export function fixIssueCompleted(facts: IssueCompletedFacts, issue: IssueSubject) {
  return COMPLETED.create(`${issue.issue_code}/completed`, facts, issue)
}

export interface IssueEndFacts extends IssueSpending {
  readonly reason: string
  /** Where there is nothing to fix: the challenger's call that agreed. */
  readonly falsePositive?: { readonly agreedStepId?: string | undefined } | undefined
}

export function fixIssueFailed(facts: IssueEndFacts, issue: IssueSubject) {
  return FAILED.create(`${issue.issue_code}/failed`, toIssueEnd(facts), issue)
}

export function fixIssueSkipped(facts: IssueEndFacts, issue: IssueSubject) {
  return SKIPPED.create(`${issue.issue_code}/skipped`, toIssueEnd(facts), issue)
}

function toIssueEnd({ falsePositive, ...facts }: IssueEndFacts): z.infer<typeof IssueEnd> {
  if (!falsePositive) return facts
  return { ...facts, false_positive: true, agreed_by: 'fix_challenger', call: falsePositive.agreedStepId }
}
