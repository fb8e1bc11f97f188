// Finds the servers on a database by their command lines, a record that is never missing or stale. Two servers on one database corrupt it
// silently. Gap: on Windows nothing is found, and a server that a killed instance left running has to be ended by hand.
import { type ProcessIdentity, readProcessIdentity } from '../../platform/processes/process-identity.ts'
import { listPids, readProcFile, readSystemTool } from '../../platform/processes/process-table.ts'

export interface RunningServer {
  readonly identity: ProcessIdentity
  readonly port: number
  readonly uiPort: number
  /** The search attributes that it was started with. */
  readonly attributes: readonly string[]
}

export function findRunningServers(database: string): RunningServer[] {
  const found: RunningServer[] = []
  for (const { pid, line, separator } of listCommandLines()) {
    const argument = (name: string) => {
      const start = line.indexOf(`${separator}${name}${separator}`)
      return start < 0 ? '' : line.slice(start + name.length + 2)
    }
    if (!argument('--db-filename').startsWith(`${database}${separator}`)) continue
    const identity = readProcessIdentity(pid)
    const [port, uiPort] = ['--port', '--ui-port'].map((name) => Number.parseInt(argument(name), 10))
    const attributes = line
      .split(`${separator}--search-attribute${separator}`)
      .slice(1)
      .map((rest) => rest.split('=')[0]!)
    if (identity !== undefined && port && uiPort) found.push({ identity, port, uiPort, attributes })
  }
  return found
}

interface CommandLine {
  readonly pid: number
  readonly line: string
  /** The separator of arguments: a zero byte, or a space in the output of `ps`. */
  readonly separator: string
}

function listCommandLines(): CommandLine[] {
  if (process.platform === 'win32') return []
  if (process.platform !== 'linux') return listCommandLinesWithPs()
  return listPids().map((pid) => ({ pid, line: readProcFile(pid, 'cmdline') ?? '', separator: '\0' }))
}

function listCommandLinesWithPs(): CommandLine[] {
  const listing = readSystemTool('ps', ['-axwwo', 'pid=,args='])
  return listing.split('\n').map((row) => {
    const [, pid, line] = /^\s*(\d+) (.*)$/.exec(row) ?? []
    return { pid: Number(pid), line: `${line ?? ''} `, separator: ' ' }
  })
}
