// Counts over all sessions of a home, for metrics.
/** The upper bounds of each histogram, in ascending order. */
export interface HistogramBounds {
  readonly callSeconds: readonly number[]
  readonly queueSeconds: readonly number[]
  readonly score: readonly number[]
  readonly rounds: readonly number[]
}

export interface Statistics {
  readonly sessions: readonly { readonly kind: string; readonly status: string; readonly count: number }[]
  /** Of the sessions that have not ended: what they wait for. */
  readonly waiting: readonly { readonly kind: string; readonly count: number }[]
  readonly calls: readonly CallStatistics[]
  /** Of issues that a session has ended with. */
  readonly scores: Distribution
  readonly rounds: Distribution
}

export interface CallStatistics {
  readonly role: string
  readonly running: number
  readonly finished: number
  readonly lost: number
  /** Attempts after the first. */
  readonly retries: number
  /** The known part. */
  readonly cost_usd: number
  readonly duration: Distribution
  readonly queue: Distribution
}

export interface Distribution {
  readonly count: number
  readonly sum: number
  /** For each bound, how many values are not above it. */
  readonly upTo: readonly number[]
}
