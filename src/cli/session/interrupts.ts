// Says what Ctrl-C, SIGTERM and a lost terminal do to a session that is followed. Ctrl-C asks; the others detach: the session goes on
// without its follower, and nothing that was paid for is lost.
import type { AppContext } from '../../app/context.ts'
import { describeCancelling } from '../../app/session/cancel-session.ts'
import { sendToSession } from '../../app/session/send-message.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { LEFT } from '../exit-codes.ts'
import { printNotice } from '../terminal/console.ts'
import { promptKey } from '../terminal/prompt.ts'

/** `leave`: Ctrl-C detaches, too. `cancel`: each of them cancels. */
export type InterruptMode = 'ask' | 'leave' | 'cancel'

export interface Interrupts {
  /** For Ctrl-C that a question has read. */
  readonly onInterrupt: () => Promise<void>
  stop(): void
}

const ASK_MS = 5_000
/** After this long a command ends, whatever it still hangs on. */
const END_WITHIN_MS = 10_000

export function handleInterrupts(
  app: AppContext,
  session: SessionRecord,
  mode: InterruptMode,
  detach: () => void,
): Interrupts {
  let isAsking = false
  let isCancelling = false

  async function interrupt(): Promise<void> {
    if (mode === 'leave' || isCancelling) return detach()
    // Without a terminal there is nobody to ask; a second Ctrl-C need not be asked about.
    if (mode === 'cancel' || !process.stdin.isTTY || isAsking) return cancel()
    isAsking = true
    printNotice(
      `session ${session.session_id}: d detaches (it goes on without you), c or Ctrl-C cancels it; any other key stays`,
    )
    const key = await promptKey(ASK_MS)
    if (!isAsking) return
    isAsking = false
    if (key === 'd') detach()
    else if (key === 'c' || key === CTRL_C) cancel()
    else printNotice('nothing was done: the session goes on, and you still follow it')
  }

  function terminate(): void {
    setTimeout(() => process.exit(LEFT), END_WITHIN_MS).unref()
    if (mode === 'cancel' && !isCancelling) cancel()
    else detach()
  }

  function cancel(): void {
    isAsking = false
    isCancelling = true
    printNotice(describeCancelling(session.session_id))
    sendToSession(app, session, 'cancel', {}).then(
      (result) => result.kind === 'refused' && printNotice(`it was not cancelled: ${result.reason}`),
      (error: Error) => printNotice(`it could not be cancelled: ${error.message}`),
    )
  }

  const onSigint = () => void interrupt()
  process.on('SIGINT', onSigint)
  process.on('SIGTERM', terminate)
  process.on('SIGHUP', terminate)
  return {
    onInterrupt: interrupt,
    stop: () => {
      process.off('SIGINT', onSigint)
      process.off('SIGTERM', terminate)
      process.off('SIGHUP', terminate)
    },
  }
}

const CTRL_C = '\u0003'
