// Reads the processes of this machine: from /proc on Linux, elsewhere from `ps`. Everything is synchronous and without execa:
// commands that run nothing need it too, and loading execa takes 75 ms.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessStat {
  readonly group: number
  /** Clock ticks since boot. */
  readonly startTicks: string
  /** The process has ended, and only its exit status is unread. */
  readonly isZombie: boolean
  readonly isKernelThread: boolean
}

const KERNEL_THREAD_FLAG = 0x200000

export function listPids(): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
}

export function readProcessStat(pid: number): ProcessStat | undefined {
  const stat = readProcFile(pid, 'stat')
  if (stat === undefined) return undefined
  // The second field, the command's name in brackets, may hold spaces and brackets itself: fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    group: Number(fields[2]),
    startTicks: fields[19] ?? '',
    isZombie: fields[0] === 'Z' || fields[0] === 'X',
    isKernelThread: (Number(fields[6]) & KERNEL_THREAD_FLAG) !== 0,
  }
}

/** Undefined if the process is gone or another user's. */
export function readProcFile(pid: number, name: 'stat' | 'environ' | 'cmdline'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}

/** Whether an empty environment is so only for now: a process has none while it loads another program, and while it ends. */
export function isBetweenPrograms(pid: number): boolean {
  const stat = readProcessStat(pid)
  if (stat === undefined || stat.isZombie || stat.isKernelThread) return false
  return readProcFile(pid, 'cmdline') === '' || readProcFile(pid, 'environ') !== ''
}

/** The output of a system tool, in a language and a time zone that can be parsed. */
export function readSystemTool(command: 'ps' | 'sysctl', args: readonly string[]): string {
  const env = { PATH: '/bin:/usr/bin:/sbin:/usr/sbin', LC_ALL: 'C', TZ: 'UTC' }
  return execFileSync(command, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  })
}
