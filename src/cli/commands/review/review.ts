// `fixwright review`: starts a review, or joins the one that is at it, follows it to its end, and shows what it found.
import { FixwrightError, RefusedError } from '../../../app/errors.ts'
import { REPORT_FORMATS } from '../../../app/report/render/formats.ts'
import { buildReviewReport } from '../../../app/report/review/build-review-report.ts'
import { renderReviewReport } from '../../../app/report/review/render-review.ts'
import { findSession } from '../../../app/session/find-sessions.ts'
import { toExitCode } from '../../../app/session/session-result.ts'
import { type ReviewInput, startOrJoinReview } from '../../../app/start/start-review.ts'
import { LEFT } from '../../exit-codes.ts'
import { parseChoice } from '../../options/shared.ts'
import { withApp } from '../../session/with-app.ts'
import { printNotice } from '../../terminal/console.ts'
import { describeLeft } from '../../terminal/describe-decision.ts'
import { printResult } from '../../terminal/print-result.ts'

export interface ReviewCommandOptions extends ReviewInput {
  readonly format?: string | undefined
  /** Signals cancel the review, where they would otherwise detach from it. */
  readonly cancelOnSignal: boolean
}

export async function runReviewCommand(options: ReviewCommandOptions): Promise<number> {
  const format = options.format === undefined ? undefined : parseChoice('--format', options.format, REPORT_FORMATS)
  return withApp(
    async (app) => {
      const loading = import('../../session/follow-session.ts')
      const begun = await startOrJoinReview(app, options)
      if (begun.kind === 'refused') throw new RefusedError(begun.code, begun.problems)
      if (begun.kind === 'blocked') throw new FixwrightError(begun.code, begun.reason)
      const { sessionId, settings } = begun
      const { followSession } = await loading
      const interrupts = options.cancelOnSignal ? 'cancel' : 'ask'
      const followed = await followSession(app, { sessionId, settings, interrupts })
      if (followed.kind !== 'ended') {
        printNotice(describeLeft(sessionId))
        return LEFT
      }
      if (format === undefined) await printResult(app, followed.result, { json: false })
      else
        process.stdout.write(
          renderReviewReport(await buildReviewReport(app, await findSession(app, sessionId)), format),
        )
      return toExitCode(followed.result)
    },
    { connectEarly: true },
  )
}
