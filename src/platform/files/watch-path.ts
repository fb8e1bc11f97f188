// Tells that a file or a folder has changed, by the kernel's notices. Notices are for speed alone: a kernel may have none to give, and
// those of some file systems get lost, so whoever waits for one looks from time to time as well.
import { watch } from 'node:fs'

export interface PathWatch extends Disposable {
  /** False if the path can't be watched. */
  givesNotices(): boolean
  /** Resolves to true with the first notice since the last call, and to false after the time or when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean>
}

/** `path`: undefined for what has none; then only the time counts. */
export function watchPath(path: string | undefined): PathWatch {
  let isNoticed = false
  let wake: (() => void) | undefined
  const onNotice = (): void => {
    isNoticed = true
    wake?.()
  }
  let watcher = path === undefined ? undefined : tryToWatch(path, onNotice)
  const close = (): void => {
    watcher?.close()
    watcher = undefined
  }
  watcher?.on('error', close)
  return {
    givesNotices: () => watcher !== undefined,
    async wait(ms, signal) {
      if (!isNoticed && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          const end = (): void => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', end)
            wake = undefined
            resolve()
          }
          const timer = setTimeout(end, ms)
          signal?.addEventListener('abort', end, { once: true })
          wake = end
        })
      }
      const wasNoticed = isNoticed
      isNoticed = false
      return wasNoticed
    },
    [Symbol.dispose]: close,
  }
}

function tryToWatch(path: string, onNotice: () => void) {
  try {
    return watch(path, { persistent: false }, onNotice)
  } catch {
    // It is not there, or the kernel has no more watches to give.
    return undefined
  }
}
