// Keeps a long activity alive in Temporal's eyes and lets it be stopped. The work gets a signal; when it fires, the work
// ends its processes first and only then does the activity end, with the reason that Temporal gave: anything else
// thrown here would be read as a failure of the work instead of its cancellation. Work that was done by then counts as done.
import { Context } from '@temporalio/activity'
import { ApplicationFailure, TemporalFailure } from '@temporalio/common'
import { truncateText } from '../domain/text/truncate.ts'

export interface Heartbeat {
  readonly signal: AbortSignal
  /** When the session's time is over, in milliseconds since the epoch, where it has a limit. */
  readonly endsAt?: number | undefined
  /** The last word is sent with the next beat, for whoever looks at the activity in the Temporal UI. */
  reportProgress(progress: string): void
}

// A cancellation is told with the answer to a beat, and a person waits for it. The worker sends one beat a second at most.
const MAX_HEARTBEAT_PAUSE_MS = 500

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

/** What git or a CLI said may be megabytes, and the history keeps every word of every attempt. */
function toShortFailure(error: unknown): ApplicationFailure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const failure = ApplicationFailure.create({ type: name, message: truncateText(message, 1000) })
  failure.stack = truncateText(stack?.replace(message, failure.message) ?? '', 2500)
  return failure
}
