// Log entries of a review: what is reviewed by whom, what was found, what stands.
import { z } from 'zod'
import type { EventFacts } from '../define-event.ts'
import { Texts } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

export const logReviewOpened = defineLog(
  'review_opened',
  'note',
  z.object({ head: z.string(), base: z.string(), files: z.number(), experts: Texts }),
  ({ head, base, files, experts }) =>
    `${files} changed file(s) from ${base.slice(0, 10)} to ${head.slice(0, 10)}, for the experts ${experts.join(', ')}`,
  (create) => (facts: EventFacts<typeof create>) => create('review/opened', facts),
)

export const logReviewMalformed = defineLog(
  'review_malformed',
  'warning',
  z.object({ call: z.string(), problem: z.string() }),
  ({ problem }) => `the review does not count: ${problem}`,
  (create) => (facts: EventFacts<typeof create>) => create(`${facts.call}/malformed`, facts),
)

export const logReviewReported = defineLog(
  'review_reported',
  'note',
  z.object({ found: z.number(), merged: z.number(), reviewed: z.number(), not_reviewed: Texts }),
  ({ found, merged, reviewed, not_reviewed }) =>
    `${found} finding(s)${merged > 0 ? `, ${merged} of them merged` : ''}; ${reviewed} file(s) reviewed${not_reviewed.length > 0 ? `, not reviewed: ${not_reviewed.join(', ')}` : ''}`,
  (create) => (facts: EventFacts<typeof create>) => create('review/reported', facts),
)

export const logReviewVerified = defineLog(
  'review_verified',
  'note',
  z.object({ confirmed: z.number(), refuted: z.number(), unverified: z.number(), merged: z.number() }),
  ({ confirmed, refuted, unverified }) => `${confirmed} confirmed, ${refuted} refuted, ${unverified} unverified`,
  (create) => (facts: EventFacts<typeof create>) => create('review/verified', facts),
)

export const logFindingsImported = defineLog(
  'findings_imported',
  'note',
  z.object({ task: z.string(), issues: z.number() }),
  ({ task, issues }) => `${issues} confirmed finding(s) are issues of the task ${task} now`,
  (create) => (facts: EventFacts<typeof create>) => create('review/imported', facts),
)
