// Keeps a long activity alive in Temporal's eyes and lets it be stopped. The work gets a signal; when it fires, the work
// ends its processes first and only then does the activity end, with the reason that Temporal gave: anything else
// thrown here would be read as a failure of the work instead of its cancellation.
import { Context } from '@temporalio/activity'

export interface Beat {
  readonly signal: AbortSignal
  /** The last word is sent with the next beat, for whoever looks at the activity in the Temporal UI. */
  say(progress: string): void
}

export async function beating<T>(work: (beat: Beat) => Promise<T>): Promise<T> {
  const context = Context.current()
  const { cancellationSignal: signal, info } = context
  let progress = 'started'
  const beat = (): void => context.heartbeat(progress)
  beat()
  const timer = setInterval(beat, (info.heartbeatTimeoutMs ?? 6000) / 4)
  try {
    const result = await work({
      signal,
      say: (text) => {
        progress = text.slice(0, 200)
      },
    })
    signal.throwIfAborted()
    return result
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    clearInterval(timer)
  }
}
