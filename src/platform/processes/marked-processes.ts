// Finds every process we started by its marker FIXWRIGHT_CALL=<session>/<step id>/<attempt>/<nonce>, never by its name. Gap: one that
// cleared its environment AND left the process group is only reached by the PID namespace (pid-namespace.ts).
import { type ProcessIdentity, readProcessIdentity } from './process-identity.ts'
import { isBetweenPrograms, listPids, readProcessStat, readProcFile, readSystemTool } from './process-table.ts'

/** Children inherit it, so a shell in a session of its own (Claude's Bash tool) is found, as is everything a killed worker left. */
export const MARKER_VARIABLE = 'FIXWRIGHT_CALL'

export interface MarkedProcess {
  readonly identity: ProcessIdentity
  readonly group: number
  readonly marker: string
}

/** Bounds the scan on a machine that starts processes without end. */
const MAX_SCAN_ROUNDS = 5

export function formatMarker(session: string, stepId: string, attempt: number, nonce: string): string {
  return [session, stepId, String(attempt), nonce].join('/')
}

/** Live processes whose marker is this one or lies below it: `S1` finds `S1/s1.i2.b1.fix/1/x`, never `S12/…`. */
export function findMarkedProcesses(prefix: string): readonly MarkedProcess[] {
  return scanProcesses(prefix).found
}

export interface Scan {
  readonly found: readonly MarkedProcess[]
  /** Some process had no environment at that moment and may carry the marker. */
  readonly isUnclear: boolean
}

export function scanProcesses(prefix: string): Scan {
  if (prefix === '') throw new RangeError('an empty marker would find the processes of every session')
  return process.platform === 'linux' ? scanProc(prefix) : { found: findWithPs(prefix), isUnclear: false }
}

function scanProc(prefix: string): Scan {
  const found: MarkedProcess[] = []
  const seen = new Set<number>()
  let isUnclear = false
  // A process can leave a child and go while the list is read.
  for (let round = 0; round < MAX_SCAN_ROUNDS; round += 1) {
    const fresh = listPids().filter((pid) => !seen.has(pid))
    if (fresh.length === 0) break
    for (const pid of fresh) {
      seen.add(pid)
      // Another user's environment can't be read; such a process can't be one of ours either.
      const environment = readProcFile(pid, 'environ')
      if (environment === '') isUnclear ||= isBetweenPrograms(pid)
      const marked = environment && parseMarkedProcess(pid, environment, prefix)
      if (marked) found.push(marked)
    }
  }
  return { found, isUnclear }
}

function parseMarkedProcess(pid: number, environment: string, prefix: string): MarkedProcess | undefined {
  const needle = `${MARKER_VARIABLE}=${prefix}`
  if (!environment.includes(needle)) return undefined
  const marker = environment
    .split('\0')
    .find((entry) => entry.startsWith(needle))
    ?.slice(MARKER_VARIABLE.length + 1)
  const identity = readProcessIdentity(pid)
  if (marker === undefined || !matchesPrefix(marker, prefix) || identity === undefined) return undefined
  return { identity, marker, group: readProcessStat(pid)?.group ?? pid }
}

function matchesPrefix(marker: string, prefix: string): boolean {
  return marker === prefix || marker.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

function findWithPs(prefix: string): readonly MarkedProcess[] {
  const found: MarkedProcess[] = []
  const listing = readSystemTool('ps', ['axeww', '-o', 'pid=,pgid=,command='])
  for (const line of listing.split('\n')) {
    const [, pid, group, rest] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    const marker = rest === undefined ? undefined : new RegExp(`(?:^| )${MARKER_VARIABLE}=(\\S+)`).exec(rest)?.[1]
    if (marker === undefined || !matchesPrefix(marker, prefix)) continue
    const identity = readProcessIdentity(Number(pid))
    if (identity !== undefined) found.push({ identity, marker, group: Number(group) })
  }
  return found
}
