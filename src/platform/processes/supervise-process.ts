// Ends one process and everything it started, at its deadline, on cancellation, or when a line says so. execa would end one
// process group, with one grace.
import { interruptMarked, reapMarked } from './reap-marked.ts'

/**
 * What to do with the process after a line of its output. `finish`: this looks like its result, so end it when nothing more comes
 * for a short while. `stop`: end it now. `end`: end it now, but let it print a last word if it can. `kill`: end it without a
 * grace. `undefined`: go on, and take back an earlier `finish`.
 */
export type LineVerdict = 'finish' | 'stop' | 'end' | 'kill' | undefined

export type EndReason = 'exited' | 'deadline' | 'cancelled' | 'finished_early' | 'flooded' | 'not_found'

export interface SupervisionOptions {
  readonly deadlineMs: number
  /** The time between TERM and KILL; a cancellation shortens it to CANCEL_GRACE_MS. */
  readonly graceMs: number
  readonly signal: AbortSignal
  /** Unique to this process: see marked-processes.ts. */
  readonly marker: string
  /** How long a process may stay after its result, unless it prints more. */
  readonly finishGraceMs?: number
  /** The process ends on INT and prints what it still has to say, so ending it at the deadline begins with INT. */
  readonly endsOnInterrupt?: boolean
}

export interface Supervision extends Disposable {
  stop(why: EndReason): void
  obey(verdict: LineVerdict): void
  /** To be called when the process itself has ended. Ends what it left running, and returns how many processes that were. */
  sweep(): Promise<number>
  endReason(): EndReason
}

// Claude has hung after its result line. Two seconds are plenty for what it still writes to its own folders.
const FINISH_GRACE_MS = 2_000
// A person waits for a cancelled session, and nobody needs what its processes would still print.
const CANCEL_GRACE_MS = 1_000
// Programs that handle INT end within a tenth of a second.
const INTERRUPT_GRACE_MS = 2_000

export function superviseProcess(pid: number, inNamespace: boolean, options: SupervisionOptions): Supervision {
  const { marker, graceMs, signal } = options
  let ended: EndReason = 'exited'
  let ending: Promise<unknown> | undefined
  let interrupted: { readonly why: EndReason; readonly timer: NodeJS.Timeout } | undefined
  let finishing: NodeJS.Timeout | undefined
  const deadline = setTimeout(() => askToEnd('deadline'), options.deadlineMs)
  const onAbort = (): void => stop('cancelled', Math.min(graceMs, CANCEL_GRACE_MS))
  signal.addEventListener('abort', onAbort, { once: true })
  return { stop: (why) => stop(why), obey, sweep, endReason: () => ended, [Symbol.dispose]: release }

  // The first reason counts. A cancellation also shortens the grace of an end that is already under way.
  function stop(why: EndReason, grace = graceMs): void {
    if (ending === undefined) ended = why === 'cancelled' ? why : (interrupted?.why ?? why)
    else if (why !== 'cancelled') return
    ending = Promise.all([ending, endProcessTree(pid, marker, grace, inNamespace)])
  }

  function askToEnd(why: EndReason): void {
    if (!options.endsOnInterrupt) stop(why)
    if (ending !== undefined || interrupted) return
    ended = why
    interrupted = { why, timer: setTimeout(() => stop(why), Math.min(graceMs, INTERRUPT_GRACE_MS)) }
    interruptMarked(marker)
  }

  function obey(verdict: LineVerdict): void {
    clearTimeout(finishing)
    if (verdict === 'stop') stop('finished_early')
    if (verdict === 'kill') stop('finished_early', 0)
    if (verdict === 'end') askToEnd('finished_early')
    if (verdict !== 'finish') return
    finishing = setTimeout(() => stop('finished_early'), options.finishGraceMs ?? FINISH_GRACE_MS)
  }

  async function sweep(): Promise<number> {
    clearTimers()
    await ending
    const swept = await reapMarked(marker, { graceMs, group: pid })
    // A cancellation may have come in the meantime.
    await ending
    return swept.ended.length
  }

  function release(): void {
    clearTimers()
    signal.removeEventListener('abort', onAbort)
  }

  function clearTimers(): void {
    clearTimeout(deadline)
    clearTimeout(finishing)
    clearTimeout(interrupted?.timer)
  }
}

/**
 * Sends TERM to the group and to marked processes, then KILL. With a grace of 0, KILL is sent at once, since a process can act on
 * TERM. In a namespace the group is bubblewrap's own and only gets the KILL.
 */
async function endProcessTree(pid: number, marker: string, graceMs: number, inNamespace: boolean): Promise<void> {
  if (!inNamespace || graceMs === 0) {
    try {
      process.kill(-pid, graceMs === 0 ? 'SIGKILL' : 'SIGTERM')
    } catch {
      // The group is gone already. Processes that left it are found by the marker.
    }
  }
  await reapMarked(marker, { graceMs, group: pid })
}
