// `fixwright review` and `fixwright review-fix`: a review is started, or joined while it runs, and what it confirms may be fixed.
import { REPORT_FORMATS } from '../../../app/report/render/formats.ts'
import { type ReviewInput, startOrJoinReview } from '../../../app/start/start-session.ts'
import { parseChoice } from '../../options/shared.ts'
import { runReviewSession } from './run-review-session.ts'

export interface ReviewCommandOptions extends ReviewInput {
  readonly format?: string | undefined
  readonly cancelOnSignal: boolean
}

export async function runReviewCommand({ format, cancelOnSignal, ...input }: ReviewCommandOptions): Promise<number> {
  const wanted = format === undefined ? undefined : parseChoice('--format', format, REPORT_FORMATS)
  const { createIssues = false } = input
  return await runReviewSession((app) => startOrJoinReview(app, input), {
    format: wanted,
    cancelOnSignal,
    createIssues,
    flags: input.flags,
  })
}
