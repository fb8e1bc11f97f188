// `fixwright review-pr`: two votes on the difference between two commits. It changes nothing in the repository, and needs no forge.
import { FixwrightError, RefusedError } from '../../../app/errors.ts'
import { REPORT_FORMATS } from '../../../app/report/render/formats.ts'
import { renderSessionReport } from '../../../app/report/render-session-report.ts'
import { findSession } from '../../../app/session/find-sessions.ts'
import { toExitCode } from '../../../app/session/session-result.ts'
import { startOrJoinVotes } from '../../../app/start/start-session.ts'
import { LEFT } from '../../exit-codes.ts'
import { parseChoice } from '../../options/shared.ts'
import { withApp } from '../../session/with-app.ts'
import { printNotice } from '../../terminal/console.ts'
import { describeLeft } from '../../terminal/describe-decision.ts'

export interface ReviewPrOptions {
  readonly repository: string
  readonly base?: string | undefined
  readonly head?: string | undefined
  readonly format: string
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runReviewPrCommand({ format, ...input }: ReviewPrOptions): Promise<number> {
  const wanted = parseChoice('--format', format, REPORT_FORMATS)
  return withApp(
    async (app) => {
      const loading = import('../../session/follow-session.ts')
      const begun = await startOrJoinVotes(app, input)
      if (begun.kind === 'refused') throw new RefusedError(begun.code, begun.problems)
      if (begun.kind === 'blocked') throw new FixwrightError(begun.code, begun.reason)
      if (begun.kind === 'done') return toExitCode(begun.result)
      const { followSession } = await loading
      const { sessionId, settings } = begun
      const followed = await followSession(app, { sessionId, settings })
      if (followed.kind !== 'ended') {
        printNotice(describeLeft(sessionId))
        return LEFT
      }
      process.stdout.write((await renderSessionReport(app, await findSession(app, sessionId), wanted)).text)
      return toExitCode(followed.result)
    },
    { connectEarly: true },
  )
}
