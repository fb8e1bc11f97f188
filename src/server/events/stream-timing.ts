// The times of event streams; tests have shorter ones.

export interface StreamTiming {
  readonly heartbeatMs: number
  /** A reader that takes nothing for so long is cut off. */
  readonly stalledMs: number
  /** A stream ends after this time, so that readers spread anew after a deployment. */
  readonly maxMs: number
  /** Proxies and browsers give up on a silent request after half a minute. */
  readonly longPollMs: number
}

export const STREAM_TIMING: StreamTiming = {
  heartbeatMs: 15_000,
  stalledMs: 30_000,
  maxMs: 15 * 60_000,
  longPollMs: 25_000,
}
