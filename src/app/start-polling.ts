// Runs a check at intervals, one at a time.

export interface Poll {
  /** Checks now, besides the regular checks. */
  readonly look: () => void
  stop(): void
}

/** `look` can ask whether polling was stopped meanwhile, and handles its own errors. */
export function startPolling(intervalMs: number, look: (isStopped: () => boolean) => Promise<void>): Poll {
  let isLooking = false
  let isStopped = false
  const once = (): void => {
    if (isLooking || isStopped) return
    isLooking = true
    void look(() => isStopped).finally(() => {
      isLooking = false
    })
  }
  const timer = setInterval(once, intervalMs)
  return {
    look: once,
    stop: () => {
      isStopped = true
      clearInterval(timer)
    },
  }
}
