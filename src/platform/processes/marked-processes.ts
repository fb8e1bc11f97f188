// Finds what we started, whoever's child it has become. Every process we start carries FIXWRIGHT_CALL=<session>/<call>/<attempt>/<nonce>
// in its environment and hands it on to its own children, so that a shell in a session of its own (Claude's Bash tool) is found too,
// and so that a successor of a killed worker finds what that worker left. Nothing is ever found by its name.
// Gap: a process that cleared its environment AND left the process group is only reached by the PID namespace (namespace.ts).
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isRunning, type ProcessIdentity, readProcessIdentity } from './process-identity.ts'

export const MARKER_VARIABLE = 'FIXWRIGHT_CALL'

export interface MarkedProcess {
  readonly identity: ProcessIdentity
  /** The process group; its members are ended with it. */
  readonly group: number
  readonly marker: string
}

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
// Stuck in the kernel (a dead network disk): waiting for ever would hang the caller with it.
const KILL_WAIT_MS = 5_000

export function formatMarker(session: string, stepId: string, attempt: number, nonce: string): string {
  return [session, stepId, String(attempt), nonce].join('/')
}

/** Live processes whose marker is this one or lies below it: `S1` finds `S1/fix-2/1/x`, never `S12/…`. */
export function findMarkedProcesses(prefix: string): readonly MarkedProcess[] {
  if (prefix === '') throw new RangeError('an empty marker would find the processes of every session')
  return process.platform === 'linux' ? findInProc(prefix) : findWithPs(prefix)
}

/** Ends every process that carries the marker: TERM, then KILL after the grace, whole groups, until none is left. */
export async function reapMarked(prefix: string, options: ReapOptions = {}): Promise<ReapResult> {
  const ended = new Map<string, MarkedProcess>()
  const groups = new Set(options.group === undefined ? [] : [options.group])
  const killFrom = performance.now() + (options.graceMs ?? 2_000)
  const giveUpAt = killFrom + KILL_WAIT_MS
  let foundAt = performance.now()
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    const late = performance.now() >= killFrom
    const found = findMarkedProcesses(prefix)
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
    if (found.length === 0 && ![...groups].some(isGroupAlive)) return { ended: [...ended.values()], survivors: [] }
    if (performance.now() >= giveUpAt) return { ended: [...ended.values()], survivors: found }
    await delay(pause)
  }
}

/** Asks what carries the marker to end, and does not wait for it. */
export function interruptMarked(prefix: string): void {
  for (const { identity } of findMarkedProcesses(prefix)) signalIfRunning(identity, 'SIGINT')
}

function matchesPrefix(marker: string, prefix: string): boolean {
  return marker === prefix || marker.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

function findInProc(prefix: string): readonly MarkedProcess[] {
  const needle = `${MARKER_VARIABLE}=${prefix}`
  const found: MarkedProcess[] = []
  for (const pid of listPids()) {
    // Another user's environment can't be read; such a process can't be one of ours either.
    const environment = readOrUndefined(`/proc/${pid}/environ`)
    if (!environment?.includes(needle)) continue
    const marker = environment
      .split('\0')
      .find((entry) => entry.startsWith(needle))
      ?.slice(MARKER_VARIABLE.length + 1)
    const identity = readProcessIdentity(pid)
    if (marker === undefined || !matchesPrefix(marker, prefix) || identity === undefined) continue
    found.push({ identity, marker, group: readProcessGroup(pid) ?? pid })
  }
  return found
}

function findWithPs(prefix: string): readonly MarkedProcess[] {
  const env = { PATH: '/bin:/usr/bin:/sbin:/usr/sbin', LC_ALL: 'C' }
  const found: MarkedProcess[] = []
  const listing = execFileSync('ps', ['axeww', '-o', 'pid=,pgid=,command='], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  })
  for (const line of listing.split('\n')) {
    const [, pid, group, rest] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    const marker = rest === undefined ? undefined : new RegExp(`(?:^| )${MARKER_VARIABLE}=(\\S+)`).exec(rest)?.[1]
    if (marker === undefined || !matchesPrefix(marker, prefix)) continue
    const identity = readProcessIdentity(Number(pid))
    if (identity !== undefined) found.push({ identity, marker, group: Number(group) })
  }
  return found
}

/** Whether a group has a member that still runs. A zombie nobody waits for does not count: it would never go away. */
function isGroupAlive(group: number): boolean {
  if (!trySignal(-group, 0)) return false
  if (process.platform !== 'linux') return true
  return listPids().some((pid) => readProcessGroup(pid) === group && readProcessIdentity(pid) !== undefined)
}

function readProcessGroup(pid: number): number | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`)
  const group = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[2]
  return group === undefined ? undefined : Number(group)
}

function listPids(): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

function signalIfRunning(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (isRunning(identity)) trySignal(identity.pid, name)
}

function killGroup(group: number): void {
  if (group > 1 && group !== readProcessGroup(process.pid)) trySignal(-group, 'SIGKILL')
}

function trySignal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch {
    // Gone already, or not ours to signal: there is nothing to wait for either way.
    return false
  }
}
