// Sees to the end of one process and of everything it started: at its deadline, when it is cancelled, or when a line says so. The
// first reason counts; a cancellation hurries what is being ended already. execa would end one process group, with one grace.
import { interruptMarked, reapMarked } from './reap-marked.ts'

/**
 * What a line says about the process. `finish`: this looks like its result; when nothing more comes for a short while, end it.
 * `stop`: there is nothing more to wait for, end it now. `end`: the same, but it may say a last word first where it would.
 * `kill`: whatever it would still do is too much. Nothing: go on (and take back an earlier `finish`).
 */
export type LineVerdict = 'finish' | 'stop' | 'end' | 'kill' | undefined

export type EndReason = 'exited' | 'deadline' | 'cancelled' | 'finished_early' | 'flooded' | 'not_found'

export interface SupervisionOptions {
  readonly deadlineMs: number
  /** Between TERM and KILL. Less where it is cancelled: see CANCEL_GRACE_MS. */
  readonly graceMs: number
  readonly signal: AbortSignal
  /** Unique to this process: see marked-processes.ts. */
  readonly marker: string
  /** How long a process may stay after its result. */
  readonly finishGraceMs?: number
  /** It takes INT as a wish to end, and then says what there is to say: so its deadline begins with that. */
  readonly endsOnInterrupt?: boolean
}

export interface Supervision extends Disposable {
  stop(why: EndReason): void
  obey(verdict: LineVerdict): void
  /** Once the process itself has ended: ends what it left running, and says how many that were. */
  sweep(): Promise<number>
  endReason(): EndReason
}

// Claude has hung after its result line; two seconds are plenty for what it writes to its own folders after it.
const FINISH_GRACE_MS = 2_000
// A person waits for a cancelled session, and nobody for what its processes still have to say.
const CANCEL_GRACE_MS = 1_000
// What takes an interrupt well does so within a tenth of a second.
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

  function stop(why: EndReason, grace = graceMs): void {
    if (ending === undefined) ended = why === 'cancelled' ? why : (interrupted?.why ?? why)
    // Also while it ends for another reason, with a longer grace.
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
    // A cancellation may have come meanwhile.
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
 * TERM to the group and to what carries the marker, then KILL; without a grace KILL at once, since whoever is told can still act.
 * In a namespace the group is bwrap's: it only gets the KILL.
 */
async function endProcessTree(pid: number, marker: string, graceMs: number, inNamespace: boolean): Promise<void> {
  if (!inNamespace || graceMs === 0) {
    try {
      process.kill(-pid, graceMs === 0 ? 'SIGKILL' : 'SIGTERM')
    } catch {
      // The group is gone already; what left it is found by its marker.
    }
  }
  await reapMarked(marker, { graceMs, group: pid })
}
