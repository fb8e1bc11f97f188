// Log entries of a review: what is reviewed by whom, what was found, what stands.
import { z } from 'zod'
import { Texts } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

const OPENED = defineLog(
  'review_opened',
  'note',
  z.object({ head: z.string(), base: z.string(), files: z.number(), experts: Texts }),
  ({ head, base, files, experts }) =>
    `${files} changed file(s) from ${base.slice(0, 10)} to ${head.slice(0, 10)}, for the experts ${experts.join(', ')}`,
)

const MALFORMED = defineLog(
  'review_malformed',
  'warning',
  z.object({ call: z.string(), problem: z.string() }),
  ({ problem }) => `the review does not count: ${problem}`,
)

const REPORTED = defineLog(
  'review_reported',
  'note',
  z.object({ found: z.number(), merged: z.number(), reviewed: z.number(), not_reviewed: Texts }),
  ({ found, merged, reviewed, not_reviewed }) =>
    `${found} finding(s)${merged > 0 ? `, ${merged} of them merged` : ''}; ${reviewed} file(s) reviewed${not_reviewed.length > 0 ? `, not reviewed: ${not_reviewed.join(', ')}` : ''}`,
)

const VERIFIED = defineLog(
  'review_verified',
  'note',
  z.object({ confirmed: z.number(), refuted: z.number(), unverified: z.number(), merged: z.number() }),
  ({ confirmed, refuted, unverified }) => `${confirmed} confirmed, ${refuted} refuted, ${unverified} unverified`,
)

const IMPORTED = defineLog(
  'findings_imported',
  'note',
  z.object({ task: z.string(), issues: z.number() }),
  ({ task, issues }) => `${issues} confirmed finding(s) are issues of the task ${task} now`,
)

export const REVIEW_LOGS = [OPENED, MALFORMED, REPORTED, VERIFIED, IMPORTED] as const

export function logReviewOpened(facts: { head: string; base: string; files: number; experts: readonly string[] }) {
  return OPENED.create('review/opened', facts)
}

export function logReviewMalformed(call: string, problem: string) {
  return MALFORMED.create(`${call}/malformed`, { call, problem })
}

export function logReviewReported(facts: {
  found: number
  merged: number
  reviewed: number
  not_reviewed: readonly string[]
}) {
  return REPORTED.create('review/reported', facts)
}

export function logReviewVerified(counts: { confirmed: number; refuted: number; unverified: number; merged: number }) {
  return VERIFIED.create('review/verified', counts)
}

export function logFindingsImported(task: string, issues: number) {
  return IMPORTED.create('review/imported', { task, issues })
}
