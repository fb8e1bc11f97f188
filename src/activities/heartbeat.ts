// Keeps a long activity alive in Temporal's eyes and lets it be cancelled.
import { Context } from '@temporalio/activity'
import { ApplicationFailure, TemporalFailure } from '@temporalio/common'
import { truncateText } from '../domain/text/truncate.ts'

export interface Heartbeat {
  readonly signal: AbortSignal
  /** The end of the session's time, in milliseconds since the epoch; absent without a limit. */
  readonly endsAt?: number | undefined
  /** Sets the text that the next heartbeat sends; the Temporal UI shows it. */
  reportProgress(progress: string): void
}

// A cancellation arrives with the answer to a heartbeat, and a person waits for it. The worker sends at most one a
// second.
const MAX_HEARTBEAT_PAUSE_MS = 500

/**
 * On cancellation the work ends its processes first; then the activity throws the reason that Temporal gave, because
 * any other error would count as a failure of the work. Work that is done by then counts as done.
 */
export async function withHeartbeat<T>(work: (heartbeat: Heartbeat) => Promise<T>): Promise<T> {
  const context = Context.current()
  const { cancellationSignal: signal, info } = context
  let progress = 'started'
  const heartbeat = (): void => context.heartbeat(progress)
  heartbeat()
  const timer = setInterval(heartbeat, Math.min((info.heartbeatTimeoutMs ?? 6000) / 4, MAX_HEARTBEAT_PAUSE_MS))
  try {
    return await work({
      signal,
      reportProgress: (text) => {
        progress = truncateText(text, 200)
      },
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof TemporalFailure ? error : toShortFailure(error)
  } finally {
    clearInterval(timer)
  }
}

/** Errors of git or a CLI may hold megabytes, and the history keeps the message of every attempt. */
function toShortFailure(error: unknown): ApplicationFailure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const failure = ApplicationFailure.create({ type: name, message: truncateText(message, 1000) })
  failure.stack = truncateText(stack?.replace(message, failure.message) ?? '', 2500)
  return failure
}
