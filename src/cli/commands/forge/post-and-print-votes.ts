// The end of `review-pr --post`: the votes get onto the pull request.
import type { AppContext } from '../../../app/context.ts'
import {
  type PostedVotes,
  postSessionVotes,
  postVoteFile,
  type VoteFilePost,
} from '../../../app/forge/post-session-votes.ts'
import type { SessionRecord } from '../../../domain/session/session.ts'
import type { VotesTarget } from '../../../domain/vote/vote-subject.ts'
import { NOT_READY } from '../../exit-codes.ts'
import { printNotice } from '../../terminal/console.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'

const NAMES = { review: 'the comments on lines', comment: 'the comment', verdict: 'the verdict' } as const

/** Standard output has the report, so this goes beside it. */
export async function postAndPrintVotes(app: AppContext, session: SessionRecord, target: VotesTarget): Promise<number> {
  return printPostedVotes(await postSessionVotes(app, session, target), target.number)
}

/** Ends as `review-pr` would have, so that a job which only posts is red where the votes are. */
export async function postVoteFileAndPrint(app: AppContext, post: VoteFilePost): Promise<number> {
  const { posted, verdict, number } = await postVoteFile(app, post)
  return printPostedVotes(posted, number) || { approved: 0, not_approved: 1, no_verdict: NOT_READY }[verdict]
}

function printPostedVotes({ posted, url, failed, movedTo }: PostedVotes, number: number): number {
  if (posted.length > 0)
    printNotice(sanitizeLine(`posted ${posted.map((part) => NAMES[part]).join(', ')}: ${url ?? `#${number}`}`))
  else if (failed.length === 0 && movedTo === undefined)
    printNotice(sanitizeLine(`everything was posted before: ${url ?? `#${number}`}`))
  for (const { part, code, detail, isWithdrawal, isUnchecked } of failed) {
    const done = isWithdrawal ? 'withdrawn' : isUnchecked ? 'checked' : 'posted'
    printNotice(sanitizeLine(`${NAMES[part]} could not be ${done} (${code}): ${detail}`))
  }
  if (movedTo !== undefined) {
    printNotice(
      `#${number} has moved to ${movedTo.slice(0, 12)} since, so this verdict is none of its head: run it again`,
    )
  }
  return failed.length === 0 && movedTo === undefined ? 0 : NOT_READY
}
