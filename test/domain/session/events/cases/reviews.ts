// One event of every kind: what the log says of a review.
import {
  logFindingsImported,
  logReviewMalformed,
  logReviewOpened,
  logReviewReported,
  logReviewVerified,
} from '../../../../../src/domain/session/events/logs/review-logs.ts'
import { type Case, COMMIT } from './case.ts'

export const REVIEW_CASES: readonly Case[] = [
  [
    logReviewOpened({ head: COMMIT, base: 'b'.repeat(40), files: 3, experts: ['language', 'spec'] }),
    'review/opened',
    `3 changed file(s) from bbbbbbbbbb to ${COMMIT.slice(0, 10)}, for the experts language, spec`,
  ],
  [
    logReviewMalformed({ call: 'review', problem: 'the expert spec was never started' }),
    'review/malformed',
    'the review does not count: the expert spec was never started',
  ],
  [
    logReviewReported({ found: 3, merged: 1, reviewed: 2, not_reviewed: ['logo.png (binary)'] }),
    'review/reported',
    '3 finding(s), 1 of them merged; 2 file(s) reviewed, not reviewed: logo.png (binary)',
  ],
  [
    logReviewVerified({ confirmed: 1, refuted: 1, unverified: 0, merged: 1 }),
    'review/verified',
    '1 confirmed, 1 refuted, 0 unverified',
  ],
  [
    logFindingsImported({ task: 'review-fx-1', issues: 1 }),
    'review/imported',
    '1 confirmed finding(s) are issues of the task review-fx-1 now',
  ],
]
