// The time of a session runs by the clock from its start, and stands still while it waits for a person: in several lanes as long as any of
// them waits, and once for waits at the same time.

export interface SessionClock {
  /** The end as things stand now; undefined if nothing limits it. */
  endsAt(): number | undefined
  /** Stops it until the function that it returns is called, which has to happen however the wait ends. A second call does nothing. */
  stop(): () => void
  /** How long it has stood still. */
  waitedMs(): number
}

export function createSessionClock(end: () => number | undefined, waitedBefore = 0): SessionClock {
  let waited = waitedBefore
  let waits = 0
  let since = 0
  const waitedMs = (): number => waited + (waits > 0 ? Date.now() - since : 0)
  return {
    endsAt: () => {
      const at = end()
      return at === undefined ? undefined : at + waitedMs()
    },
    stop: () => {
      if (waits === 0) since = Date.now()
      waits += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        waited = waits === 1 ? waitedMs() : waited
        waits -= 1
      }
    },
    waitedMs,
  }
}
