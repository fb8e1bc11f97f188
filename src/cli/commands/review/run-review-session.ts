// What the commands for reviews have in common: a session is started or joined, followed to its end, and shown.
import type { AppContext } from '../../../app/context.ts'
import { FixwrightError, RefusedError } from '../../../app/errors.ts'
import type { ReportFormat } from '../../../app/report/render/formats.ts'
import { renderSessionReport } from '../../../app/report/render-session-report.ts'
import { findSession } from '../../../app/session/find-sessions.ts'
import { toExitCode } from '../../../app/session/session-result.ts'
import type { StartOutcome } from '../../../app/start/start-session.ts'
import type { SessionRecord } from '../../../domain/session/session.ts'
import { LEFT } from '../../exit-codes.ts'
import { withApp } from '../../session/with-app.ts'
import { printNotice } from '../../terminal/console.ts'
import { describeLeft } from '../../terminal/describe-decision.ts'
import { printResult } from '../../terminal/print-result.ts'

export interface ReviewSessionOptions {
  readonly flags: Readonly<Record<string, unknown>>
  /** Prints this report in place of the result in short. */
  readonly format: ReportFormat | undefined
  /** Signals cancel the session, where they would otherwise detach from it. */
  readonly cancelOnSignal: boolean
  /** Makes issues of what is left at the end. */
  readonly createIssues?: boolean
  /** Runs when the report is printed. Its status counts if it is not 0. */
  readonly afterwards?: (app: AppContext, session: SessionRecord) => Promise<number>
}

export async function runReviewSession(
  start: (app: AppContext) => Promise<StartOutcome>,
  { format, cancelOnSignal, createIssues = false, afterwards, flags }: ReviewSessionOptions,
): Promise<number> {
  return withApp(
    async (app) => {
      const loading = import('../../session/follow-session.ts')
      const begun = await start(app)
      if (begun.kind === 'refused') throw new RefusedError(begun.code, begun.problems)
      if (begun.kind === 'blocked') throw new FixwrightError(begun.code, begun.reason)
      if (begun.kind === 'done') return toExitCode(begun.result)
      const { sessionId, settings } = begun
      const { followSession } = await loading
      const followed = await followSession(app, {
        sessionId,
        settings,
        ...(cancelOnSignal ? { interrupts: 'cancel' as const } : {}),
      })
      if (followed.kind !== 'ended') {
        printNotice(describeLeft(sessionId))
        return LEFT
      }
      if (format === undefined) await printResult(app, followed.result, { json: false })
      else process.stdout.write((await renderSessionReport(app, await findSession(app, sessionId), format)).text)
      // Who cancels wants nothing more to happen: "leftovers SESSION --create" is still there.
      if (createIssues && followed.result.findings && followed.result.status !== 'cancelled') {
        const { createAndPrintIssues } = await import('../forge/create-issues.ts')
        const issues = await createAndPrintIssues(app, await findSession(app, sessionId), {
          ...{ json: false, besides: format !== undefined, labels: [] },
        })
        return issues || toExitCode(followed.result)
      }
      const after = afterwards ? await afterwards(app, await findSession(app, sessionId)) : 0
      return after || toExitCode(followed.result)
    },
    { flags },
  )
}
