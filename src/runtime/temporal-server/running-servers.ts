// Which servers run on a database, read from their command lines. That is the one record that can't be missing, late or
// stale: the server's own process. Two servers on one database corrupt it without a word, so this is asked before each start.
// Gap: none of it on Windows, where a server that a killed instance left running has to be ended by hand.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { keepAbsoluteEntries } from '../../platform/processes/find-command.ts'
import { type ProcessIdentity, readProcessIdentity } from '../../platform/processes/process-identity.ts'

export interface RunningServer {
  readonly identity: ProcessIdentity
  readonly port: number
  readonly uiPort: number
  /** The search attributes that it was told of. */
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
  /** What stands between two arguments: a zero byte, or where only `ps` can be asked, a space. */
  readonly separator: string
}

function listCommandLines(): CommandLine[] {
  if (process.platform === 'win32') return []
  if (process.platform !== 'linux') return listCommandLinesWithPs()
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.map((pid) => ({ pid, line: readFileOrEmpty(`/proc/${pid}/cmdline`), separator: '\0' }))
}

function readFileOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function listCommandLinesWithPs(): CommandLine[] {
  const env = { PATH: keepAbsoluteEntries(process.env.PATH) }
  const text = execFileSync('ps', ['-axwwo', 'pid=,args='], { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return text.split('\n').map((row) => {
    const [, pid, line] = /^\s*(\d+) (.*)$/.exec(row) ?? []
    return { pid: Number(pid), line: `${line ?? ''} `, separator: ' ' }
  })
}
