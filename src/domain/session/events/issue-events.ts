// The way of one issue, from the check whether it is to be fixed to what became of it.
import { z } from 'zod'
import { IssueStatus } from '../../issue/issue.ts'
import { type AtStep, atIssue, defineEvent, type EventFacts, eventData, type IssueSubject } from './define-event.ts'
import { Texts } from './limit-lists.ts'

/** The issue's share of what its calls cost. */
const IssueSpending = z.object({
  cost_usd: z.number().optional(),
  cost_partial: z.literal(true).optional(),
  tokens: z.number().optional(),
})

export const fixIssueValidating = defineEvent(
  'fix_issue_validating',
  eventData({ status: IssueStatus, file: z.string() }),
  ({ status, file }) => `is ${status}, about ${file}`,
  atIssue('validating'),
)

/** `label`: of the batch that it is planned into. */
export const fixIssueAnalyzing = defineEvent(
  'fix_issue_analyzing',
  eventData({ label: z.string() }),
  ({ label }) => `planned into ${label}`,
  atIssue('analyzing'),
)

export const fixIssueStarted = defineEvent(
  'fix_issue_started',
  eventData({ title: z.string() }),
  ({ title }) => title,
  atIssue('started'),
)

export const fixIssueGenerating = defineEvent(
  'fix_issue_generating',
  eventData({ file: z.string() }),
  ({ file }) => `fixing ${file}`,
  (create) =>
    ({ stepId, ...facts }: AtStep & EventFacts<typeof create>, issue: IssueSubject) =>
      create(`${stepId}/${issue.issue_code}/generating`, facts, issue),
)

export const fixIssueRegenerating = defineEvent(
  'fix_issue_regenerating',
  eventData({ file: z.string(), iteration: z.number() }),
  ({ file, iteration }) => `fixing ${file} again, with what the gates said (attempt ${iteration})`,
  (create) =>
    ({ stepId, ...facts }: AtStep & EventFacts<typeof create>, issue: IssueSubject) =>
      create(`${stepId}/${issue.issue_code}/generating`, facts, issue),
)

export const fixIssueCommitted = defineEvent(
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
  (create) =>
    (
      { unproven, ...facts }: Omit<EventFacts<typeof create>, 'unproven'> & { unproven: boolean },
      issue: IssueSubject,
    ) =>
      create(`${issue.issue_code}/committed`, { ...facts, ...(unproven && { unproven }) }, issue),
)

export const fixIssueCompleted = defineEvent(
  'fix_issue_completed',
  eventData({ title: z.string(), codes: Texts, ...IssueSpending.shape }),
  ({ title }) => title,
  atIssue('completed'),
)

const IssueEnd = eventData({
  reason: z.string(),
  /** A false positive names who agreed, and in which call. */
  false_positive: z.literal(true).optional(),
  agreed_by: z.string().optional(),
  call: z.string().optional(),
  ...IssueSpending.shape,
})

export const fixIssueFailed = defineEvent(
  'fix_issue_failed',
  IssueEnd,
  ({ reason }) => reason,
  (create) => (facts: IssueEndFacts, issue: IssueSubject) =>
    create(`${issue.issue_code}/failed`, toIssueEnd(facts), issue),
)

export const fixIssueSkipped = defineEvent(
  'fix_issue_skipped',
  IssueEnd,
  ({ reason }) => reason,
  (create) => (facts: IssueEndFacts, issue: IssueSubject) =>
    create(`${issue.issue_code}/skipped`, toIssueEnd(facts), issue),
)

export interface IssueEndFacts extends z.infer<typeof IssueSpending> {
  readonly reason: string
  /** Where there is nothing to fix: the challenger's call that agreed. */
  readonly falsePositive?: { readonly agreedStepId?: string | undefined } | undefined
}

function toIssueEnd({ falsePositive, ...facts }: IssueEndFacts): z.infer<typeof IssueEnd> {
  if (!falsePositive) return facts
  return { ...facts, false_positive: true, agreed_by: 'fix_challenger', call: falsePositive.agreedStepId }
}
