// Ends whatever carries a marker, with the process groups it is in, and waits until none of it is left: neither one that has only
// just been forked, nor one that is being executed at the moment in which it is looked for.
import { setTimeout as delay } from 'node:timers/promises'
import { findMarkedProcesses, type MarkedProcess, scanProcesses } from './marked-processes.ts'
import { isRunning, type ProcessIdentity } from './process-identity.ts'
import { listPids, readProcessStat } from './process-table.ts'

export interface ReapResult {
  readonly ended: readonly MarkedProcess[]
  /** What outlived even KILL: stuck in the kernel. */
  readonly survivors: readonly MarkedProcess[]
}

interface ReapOptions {
  /** How long TERM may take before KILL; with 0 there is no TERM, on which a process could still act. */
  readonly graceMs?: number
  /** A process group that goes too, also those members of it that carry no marker. */
  readonly group?: number | undefined
}

// A process that is just ending has no environment any more; it may still end by itself, with its own status.
const EXIT_GRACE_MS = 50
// A program is loaded in a millisecond, on a busy machine in some; any process of the machine that is loading one makes us wait.
const EXEC_WAIT_MS = 500
// Stuck in the kernel (a dead network disk): waiting for ever would hang the caller with it.
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
    // Whoever left the marker behind but stayed in the group gets no grace: the process it worked for is gone. Groups go first: one
    // by one, a shell would see its child die and go on to its next command.
    if (late || gone) for (const group of groups) killGroup(group)
    if (late) for (const each of found) signalIfRunning(each.identity, 'SIGKILL')
    const mayBeHidden = isUnclear && performance.now() - foundAt < EXEC_WAIT_MS
    if (found.length === 0 && !mayBeHidden && ![...groups].some(isGroupAlive))
      return { ended: [...ended.values()], survivors: [] }
    if (performance.now() >= giveUpAt) return { ended: [...ended.values()], survivors: found }
    await delay(pause)
  }
}

/** Asks what carries the marker to end, and does not wait for it. */
export function interruptMarked(prefix: string): void {
  for (const { identity } of findMarkedProcesses(prefix)) signalIfRunning(identity, 'SIGINT')
}

/** Whether a group has a member that still runs. A zombie nobody waits for does not count: it would never go away. */
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
    // Gone already, or not ours to signal: there is nothing to wait for either way.
    return false
  }
}
