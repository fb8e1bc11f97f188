// `fixwright review-pr`: two votes on the difference between two commits. It changes nothing in the repository, and needs no forge.
import { REPORT_FORMATS } from '../../../app/report/render/formats.ts'
import { startOrJoinVotes, type VotesInput } from '../../../app/start/start-session.ts'
import { parseChoice } from '../../options/shared.ts'
import { runReviewSession } from './run-review-session.ts'

export interface ReviewPrOptions extends VotesInput {
  readonly format: string
}

export async function runReviewPrCommand({ format, ...input }: ReviewPrOptions): Promise<number> {
  const wanted = parseChoice('--format', format, REPORT_FORMATS)
  return await runReviewSession((app) => startOrJoinVotes(app, input), { format: wanted, cancelOnSignal: false })
}
