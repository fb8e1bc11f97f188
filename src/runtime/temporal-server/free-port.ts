// Finds a free loopback port: the preferred one, one of the next few, or any. Another process may take it before the server binds it;
// the server then ends at once and is started again on other ports.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export const LOOPBACK = '127.0.0.1'

// A port close by is easy to find for a person who knows the usual one; a crowded machine gets any.
const PORTS_TO_TRY = 10

export async function findFreePort(preferred: number, not: readonly number[] = []): Promise<number> {
  const wanted = preferred === 0 ? [] : Array.from({ length: PORTS_TO_TRY }, (_, step) => preferred + step)
  for (const port of wanted) {
    if (port <= 65_535 && !not.includes(port) && (await tryBind(port)) !== undefined) return port
  }
  for (;;) {
    const port = await tryBind(0)
    if (port !== undefined && !not.includes(port)) return port
  }
}

/** Waits a little for a port: a killed process may be gone a moment before its sockets are. */
export async function waitUntilFree(port: number): Promise<void> {
  for (let tries = 0; tries < 100 && (await tryBind(port)) === undefined; tries += 1) await delay(20)
}

function tryBind(port: number): Promise<number | undefined> {
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

/** Whether one of these processes listens on a port; undefined if that can't be known (not Linux). */
export function isListening(pids: readonly number[], port: number): boolean | undefined {
  if (process.platform !== 'linux') return undefined
  const inodes = new Set(listListenerInodes(port).map((inode) => `socket:[${inode}]`))
  return pids.some((pid) => listDescriptorTargets(pid).some((target) => inodes.has(target)))
}

function listListenerInodes(port: number): string[] {
  const LISTEN = '0A'
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readLines(file).slice(1))
  const fields = rows.map((row) => row.trim().split(/\s+/))
  return fields.filter(([, local, , state]) => local?.endsWith(suffix) && state === LISTEN).map((row) => row[9] ?? '')
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').trim().split('\n')
  } catch {
    return []
  }
}

function listDescriptorTargets(pid: number): string[] {
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
