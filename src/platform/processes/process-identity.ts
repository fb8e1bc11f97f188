// Identifies a process by pid, kernel start time and boot, never by a bare number: pids are used again, that triple is not. Gap: a pid
// could change hands between the last look and the signal, if the pid counter wraps within microseconds.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { readProcessStat, readSystemTool } from './process-table.ts'

export const ProcessIdentity = z.object({
  pid: z.int().positive(),
  /** As the kernel reports it: clock ticks since boot on Linux, a date to the second on macOS. Only ever compared. */
  startedAt: z.string(),
  boot: z.string(),
})
export type ProcessIdentity = Readonly<z.infer<typeof ProcessIdentity>>

interface EndProcessOptions {
  /** The time between TERM and KILL. */
  readonly graceMs: number
  /** Signal the process group that the process leads, not the process alone. */
  readonly group?: boolean
}

// A process that is stuck in the kernel can outlive KILL. Waiting for it for ever would hang the caller.
const KILL_WAIT_MS = 5_000

/** The identity of a running process. A zombie counts as ended: it holds no file, does no work, and only its exit status is unread. */
export function readProcessIdentity(pid: number): ProcessIdentity | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  const startedAt = process.platform === 'linux' ? readLinuxStartTime(pid) : readPsStartTime(pid)
  return startedAt === undefined ? undefined : { pid, startedAt, boot: readBootId() }
}

export function readOwnIdentity(): ProcessIdentity {
  const own = readProcessIdentity(process.pid)
  if (own === undefined)
    throw new Error(`The start time of this process (${process.pid}) can't be read; is /proc mounted?`)
  return own
}

export function isRunning(identity: ProcessIdentity): boolean {
  const now = readProcessIdentity(identity.pid)
  return now !== undefined && now.startedAt === identity.startedAt && now.boot === identity.boot
}

/** Sends TERM, then KILL after the grace, and waits until the process is gone. Returns false if it outlives even KILL. */
export async function endProcess(identity: ProcessIdentity, options: EndProcessOptions): Promise<boolean> {
  const target = options.group ? -identity.pid : identity.pid
  for (const { signal, waitMs } of [
    { signal: 'SIGTERM', waitMs: options.graceMs },
    { signal: 'SIGKILL', waitMs: KILL_WAIT_MS },
  ] as const) {
    if (!isRunning(identity)) return true
    if (!sendSignal(target, signal)) return true
    if (await waitUntilGone(identity, waitMs)) return true
  }
  return false
}

/** Returns false if the process still runs after that time. */
export async function waitUntilGone(identity: ProcessIdentity, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  for (let pause = 2; isRunning(identity); pause = Math.min(pause * 2, 50)) {
    if (performance.now() >= deadline) return false
    await delay(pause)
  }
  return true
}

function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

function readLinuxStartTime(pid: number): string | undefined {
  const stat = readProcessStat(pid)
  return stat?.isZombie ? undefined : stat?.startTicks
}

function readPsStartTime(pid: number): string | undefined {
  const line = trySystemTool('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])
  if (line === undefined || line === '' || line.startsWith('Z')) return undefined
  return line.slice(line.indexOf(' ')).trim()
}

let cachedBootId: string | undefined

function readBootId(): string {
  cachedBootId ??=
    process.platform === 'linux'
      ? readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
      : (trySystemTool('sysctl', ['-n', 'kern.bootsessionuuid']) ?? 'unknown')
  return cachedBootId
}

function trySystemTool(command: 'ps' | 'sysctl', args: readonly string[]): string | undefined {
  try {
    return readSystemTool(command, args).trim()
  } catch {
    return undefined
  }
}
