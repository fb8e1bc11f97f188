// Looks at something again and again, one look at a time.

export interface Poll {
  /** Now, besides the regular ones. */
  readonly look: () => void
  stop(): void
}

/** The look is told whether it was stopped meanwhile; it sees to its own errors. */
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
