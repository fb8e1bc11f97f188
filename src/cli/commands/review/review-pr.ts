// `fixwright review-pr`: two votes on the difference between two commits, or on a pull request, where they may be posted.
import type { AppContext } from '../../../app/context.ts'
import { FixwrightError } from '../../../app/errors.ts'
import { REPORT_FORMATS } from '../../../app/report/render/formats.ts'
import { startOrJoinVotes, type VotesInput } from '../../../app/start/start-session.ts'
import type { SessionRecord } from '../../../domain/session/session.ts'
import { parseChoice } from '../../options/shared.ts'
import { withApp } from '../../session/with-app.ts'
import { runReviewSession } from './run-review-session.ts'

export interface ReviewPrOptions extends Omit<VotesInput, 'postOn'> {
  readonly format: string
  /** `owner/name#12`. */
  readonly pull: string | undefined
  readonly post: boolean
  readonly approve: boolean
  readonly allowFork: boolean
  /** Of another machine: only posted. */
  readonly votes: string | undefined
}

export async function runReviewPrCommand({
  format,
  pull,
  post,
  approve,
  allowFork,
  votes,
  ...input
}: ReviewPrOptions): Promise<number> {
  const wanted = parseChoice('--format', format, REPORT_FORMATS)
  if (pull === undefined) {
    if (post || approve || allowFork || votes !== undefined)
      throw new FixwrightError(
        'bad_input',
        '--post, --approve, --allow-fork and --votes need a pull request: give --pr owner/name#12',
      )
    return await runReviewSession((app) => startOrJoinVotes(app, input), {
      format: wanted,
      cancelOnSignal: false,
      flags: input.flags,
    })
  }
  if (input.base !== undefined || input.head !== undefined)
    throw new FixwrightError('bad_input', '--pr says what is voted on: leave out --base and --head')
  if (approve && !post) throw new FixwrightError('bad_input', '--approve says how votes are posted: give --post, too')
  if (votes !== undefined) {
    if (!post) throw new FixwrightError('bad_input', '--votes is for posting: give --post, too')
    const { postVoteFileAndPrint } = await import('../forge/post-and-print-votes.ts')
    return await withApp((app) => postVoteFileAndPrint(app, { file: votes, pull, approve }), { flags: input.flags })
  }
  const { findPullToReview } = await import('../../../app/forge/review-pull.ts')
  let target: VotesInput['postOn']
  return await runReviewSession(
    async (app) => {
      const found = await findPullToReview(app, { repository: input.repository, pull, approve, allowFork })
      target = found.target
      const { base, head } = found
      return await startOrJoinVotes(app, { ...input, base, head, ...(post ? { postOn: target } : {}) })
    },
    {
      ...{ format: wanted, cancelOnSignal: false, flags: input.flags },
      ...(post
        ? { afterwards: async (app: AppContext, session: SessionRecord) => await postAndPrint(app, session, target) }
        : {}),
    },
  )
}

async function postAndPrint(app: AppContext, session: SessionRecord, target: VotesInput['postOn']): Promise<number> {
  if (target === undefined || session.status === 'cancelled') return 0
  const { postAndPrintVotes } = await import('../forge/post-and-print-votes.ts')
  return await postAndPrintVotes(app, session, target)
}
