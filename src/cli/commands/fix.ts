// `fixwright fix`: starts a session, or joins the one that already does this work, and follows it to its end. The
// session does not need this process and goes on if the process is killed.

import type { AppContext } from '../../app/context.ts'
import { FixwrightError, RefusedError } from '../../app/errors.ts'
import { shellQuote } from '../../app/format-values.ts'
import { toExitCode } from '../../app/session/session-result.ts'
import type { SessionPreview } from '../../app/start/preview-session.ts'
import { type StartInput, startOrJoinSession } from '../../app/start/start-session.ts'
import type { FixSessionResult } from '../../domain/session/session.ts'
import { LEFT, WAITS_FOR_PERSON } from '../exit-codes.ts'
import type { FollowResult } from '../session/follow-session.ts'
import { withApp } from '../session/with-app.ts'
import { printJson, printNotice } from '../terminal/console.ts'
import { describeLeft, describeWait } from '../terminal/describe-decision.ts'
import { printResult } from '../terminal/print-result.ts'

export interface FixOptions extends StartInput {
  readonly json: boolean
  /** Stops the session that already does this work. */
  readonly force: boolean
  /** Exits when the session waits for a person. */
  readonly noWait: boolean
  /** Signals cancel the session, where they would otherwise detach from it. */
  readonly cancelOnSignal: boolean
  /** Begins with any number of issues. */
  readonly yes: boolean
}

export async function runFixCommand(options: FixOptions): Promise<number> {
  const { force, noWait, cancelOnSignal } = options
  return withApp(async (app) => {
    const loading = import('../session/follow-session.ts')
    const begun = await startOrJoinSession(app, options, {
      force,
      confirm: (preview) => confirmStart(preview, options),
    })
    switch (begun.kind) {
      case 'refused':
        throw new RefusedError(begun.code, begun.problems)
      case 'blocked':
        throw new FixwrightError(begun.code, begun.reason)
      case 'done':
        return await finishWithResult(app, begun.result, options)
      default: {
        const { followSession } = await loading
        const { sessionId, settings } = begun
        const interrupts = cancelOnSignal ? 'cancel' : 'ask'
        return await finishFollowed(app, await followSession(app, { sessionId, settings, noWait, interrupts }), options)
      }
    }
  })
}

async function finishFollowed(app: AppContext, followed: FollowResult, options: FixOptions): Promise<number> {
  if (followed.kind === 'ended') return await finishWithResult(app, followed.result, options)
  if (followed.kind === 'left') {
    printNotice(describeLeft(followed.sessionId))
    return LEFT
  }
  const { state } = followed
  printNotice(`session ${state.session_id} ${describeWait(state)}`)
  if (options.json) printJson(state)
  return WAITS_FOR_PERSON
}

async function finishWithResult(app: AppContext, result: FixSessionResult, { json }: FixOptions): Promise<number> {
  const again = ['fixwright', ...process.argv.slice(2)].map(shellQuote).join(' ')
  await printResult(app, result, { json, again })
  return toExitCode(result)
}

/** Says what is to come, and asks where that is much. */
async function confirmStart(
  { issues, calls, tokens, askAbove, sandbox }: SessionPreview,
  { yes }: Pick<FixOptions, 'yes'>,
): Promise<void> {
  const some = calls.most > calls.least ? `${calls.least} to ${calls.most}` : `${calls.least}`
  printNotice(`sandbox: agents run in ${sandbox}`)
  printNotice(`to come: ${issues} issue(s), ${some} agent calls, roughly ${Math.ceil(tokens / 1000)}k tokens or more`)
  if (yes || issues <= askAbove) return
  const { isInteractive, promptChoice } = await import('../terminal/prompt.ts')
  if (!isInteractive()) {
    const why = `${issues} issues are more than limits.ask_above_issues (${askAbove})`
    throw new FixwrightError('not_confirmed', `nothing was changed: ${why}: give --yes, or choose some with --only`)
  }
  const chosen = await promptChoice({ yes: 'begin', no: 'change nothing' }, new AbortController().signal)
  if (chosen.kind !== 'chosen' || chosen.key === 'no') throw new FixwrightError('declined', 'nothing was changed')
}
