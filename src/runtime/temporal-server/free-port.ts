// Loopback ports: the one that is asked for, else one of the next few, else any. Between the look and the server's own bind
// somebody else can take it; the server then ends at once and its start is tried again with other ports.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'

export const LOOPBACK = '127.0.0.1'

// Close by, so that a person who knows the usual port finds ours; then any, for a crowded machine.
const NEIGHBOURS = 10

export async function freePort(preferred: number, not: readonly number[] = []): Promise<number> {
  const wanted = preferred === 0 ? [] : Array.from({ length: NEIGHBOURS }, (_, step) => preferred + step)
  for (const port of wanted) {
    if (port <= 65_535 && !not.includes(port) && (await bind(port)) !== undefined) return port
  }
  for (;;) {
    const port = await bind(0)
    if (port !== undefined && !not.includes(port)) return port
  }
}

function bind(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, LOOPBACK, () => {
      const address = server.address()
      const bound = typeof address === 'object' && address !== null ? address.port : undefined
      server.close(() => resolve(bound))
    })
  })
}

/** Whether one of these processes is the one that listens on a port; undefined where that can't be known (not Linux). */
export function listens(pids: readonly number[], port: number): boolean | undefined {
  if (process.platform !== 'linux') return undefined
  const inodes = new Set(listeners(port).map((inode) => `socket:[${inode}]`))
  return pids.some((pid) => descriptors(pid).some((target) => inodes.has(target)))
}

function listeners(port: number): string[] {
  const LISTEN = '0A'
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => linesOf(file).slice(1))
  const fields = rows.map((row) => row.trim().split(/\s+/))
  return fields.filter(([, local, , state]) => local?.endsWith(suffix) && state === LISTEN).map((row) => row[9] ?? '')
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').trim().split('\n')
  } catch {
    return []
  }
}

function descriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        return ''
      }
    })
  } catch {
    return []
  }
}
