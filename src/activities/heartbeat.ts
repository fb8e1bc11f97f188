// Keeps a long activity alive in Temporal's eyes and lets it be cancelled.
import { Context } from '@temporalio/activity'
import { ApplicationFailure, TemporalFailure } from '@temporalio/common'
import { truncateText } from '../domain/text/truncate.ts'

export interface Heartbeat {
  readonly signal: AbortSignal
  /** The end of the session's time, in milliseconds since the epoch; absent without a limit. */
  readonly endsAt?: number | undefined
  /** Sets the text that the Temporal UI shows from the next heartbeat on. */
  reportProgress(progress: string): void
}

// A person waits for a cancellation, which comes as answer to a heartbeat. The worker sends at most one a second.
const MAX_HEARTBEAT_PAUSE_MS = 500

/**
 * The work ends its processes before the activity ends. Temporal's own reason is thrown then, because any other error
 * would count as a failure instead of the cancellation. Work that is done by then counts as done.
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
