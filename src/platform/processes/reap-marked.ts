// Ends every process that carries a marker, with its process group, and waits until none is left, not even one that was only just forked
// or is loading a program while the table is read.
import { setTimeout as delay } from 'node:timers/promises'
import { findMarkedProcesses, type MarkedProcess, scanProcesses } from './marked-processes.ts'
import { isRunning, type ProcessIdentity } from './process-identity.ts'
import { listPids, readProcessStat } from './process-table.ts'

export interface ReapResult {
  readonly ended: readonly MarkedProcess[]
  /** Processes that outlived even KILL: they are stuck in the kernel. */
  readonly survivors: readonly MarkedProcess[]
}

interface ReapOptions {
  /** The time between TERM and KILL. With 0 no TERM is sent, since a process could still act on it. */
  readonly graceMs?: number
  /** This process group is ended too, including members without the marker. */
  readonly group?: number | undefined
}

// An exiting process has no environment any more, but may still end by itself, with its own exit status.
const EXIT_GRACE_MS = 50
// Loading a program takes a millisecond, or several on a busy machine. Any process on it that loads one makes us wait.
const EXEC_WAIT_MS = 500
// A process that is stuck in the kernel (a dead network disk) would keep the caller waiting for ever.
const KILL_WAIT_MS = 5_000

/** Ends every process that carries the marker: TERM, then KILL after the grace, whole groups, until none is left. */
export async function reapMarked(prefix: string, options: ReapOptions = {}): Promise<ReapResult> {
  const ended = new Map<string, MarkedProcess>()
  const groups = new Set(options.group === undefined ? [] : [options.group])
  const killFrom = performance.now() + (options.graceMs ?? 2_000)
  const giveUpAt = killFrom + KILL_WAIT_MS
  let foundAt = performance.now()
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    const late = performance.now() >= killFrom
    const { found, isUnclear } = scanProcesses(prefix)
    for (const each of found) {
      groups.add(each.group)
      const key = `${each.identity.pid}@${each.identity.startedAt}`
      if (!late && !ended.has(key)) signalIfRunning(each.identity, 'SIGTERM')
      ended.set(key, each)
    }
    if (found.length > 0) foundAt = performance.now()
    const gone = performance.now() - foundAt > EXIT_GRACE_MS
    // Processes that dropped the marker but stayed in the group get no grace: the process they worked for is gone. Groups are
    // killed first: killed one by one, a shell would see its child die and go on to its next command.
    if (late || gone) for (const group of groups) killGroup(group)
    if (late) for (const each of found) signalIfRunning(each.identity, 'SIGKILL')
    const mayBeHidden = isUnclear && performance.now() - foundAt < EXEC_WAIT_MS
    if (found.length === 0 && !mayBeHidden && ![...groups].some(isGroupAlive))
      return { ended: [...ended.values()], survivors: [] }
    if (performance.now() >= giveUpAt) return { ended: [...ended.values()], survivors: found }
    await delay(pause)
  }
}

/** Sends INT to everything that carries the marker, and does not wait. */
export function interruptMarked(prefix: string): void {
  for (const { identity } of findMarkedProcesses(prefix)) signalIfRunning(identity, 'SIGINT')
}

/** Whether a group has a member that still runs. A zombie that nobody waits for does not count: it would never go away. */
function isGroupAlive(group: number): boolean {
  if (!trySignal(-group, 0)) return false
  if (process.platform !== 'linux') return true
  return listPids().some((pid) => {
    const stat = readProcessStat(pid)
    return stat?.group === group && !stat.isZombie
  })
}

function signalIfRunning(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (isRunning(identity)) trySignal(identity.pid, name)
}

function killGroup(group: number): void {
  if (group > 1 && group !== readProcessStat(process.pid)?.group) trySignal(-group, 'SIGKILL')
}

function trySignal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch {
    // The target is gone or not ours to signal. There is nothing to wait for in either case.
    return false
  }
}
