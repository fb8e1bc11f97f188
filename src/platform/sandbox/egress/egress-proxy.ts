// The outside end of the only way out of a namespace without network: an HTTP proxy on a Unix socket, for the given endpoints only. Since
// each CLI uses either, it tunnels (CONNECT), without seeing into tunnels, and forwards plain requests.
import { type FileHandle, open } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import { connectToEndpoint, type Endpoint, findUpstreamProxy, formatEndpoint } from './upstream-proxy.ts'

export interface EgressProxy {
  refusedEndpoints(): readonly string[]
  close(): Promise<void>
}

const MAX_REFUSED = 20
/** Headers meant for a proxy alone. */
const HOP_HEADERS = new Set(['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade'])

export async function startEgressProxy(options: {
  readonly socket: string
  readonly endpoints: readonly Endpoint[]
  /** The operator's environment, which names their own proxy. That proxy is used wherever the agent would use it without a sandbox. */
  readonly environment: NodeJS.ProcessEnv
}): Promise<EgressProxy> {
  const refused = new Set<string>()
  // The global agent may itself go through a proxy.
  const agent = new Agent()
  const allowed = new Set(options.endpoints.map(formatEndpoint))
  const sockets = new Set<Socket>()
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, passOn)
  server.on('connect', tunnel)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  })
  const folder = await listenOnSocket(server, options.socket)
  return {
    refusedEndpoints: () => [...refused],
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await folder.close()
    },
  }

  function mayReach(endpoint: Endpoint): boolean {
    if (allowed.has(formatEndpoint(endpoint))) return true
    if (refused.size < MAX_REFUSED) refused.add(formatEndpoint(endpoint).slice(0, 200))
    return false
  }

  function tunnel(asked: IncomingMessage, inside: Socket, head: Buffer): void {
    const endpoint = parseRequestEndpoint(`http://${asked.url}`, 443)
    if (endpoint === undefined || !mayReach(endpoint)) {
      inside.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
      return
    }
    connectToEndpoint(endpoint, findUpstreamProxy(endpoint, 'https', options.environment)).then(
      (outside) => {
        sockets.add(outside)
        outside.once('close', () => sockets.delete(outside))
        inside.write('HTTP/1.1 200 Connection established\r\n\r\n')
        if (head.length > 0) outside.write(head)
        pipeBothWays(inside, outside)
      },
      // The connection breaks as it would without a proxy between.
      () => inside.destroy(),
    )
  }

  function passOn(asked: IncomingMessage, answer: ServerResponse): void {
    const endpoint = parseRequestEndpoint(asked.url ?? '', 80)
    if (endpoint === undefined || !mayReach(endpoint)) {
      answer.writeHead(403, { 'content-type': 'text/plain' }).end('the sandbox allows only the endpoint of the model\n')
      return
    }
    const url = new URL(asked.url ?? '')
    const upstream = findUpstreamProxy(endpoint, 'http', options.environment)
    const headers = { ...dropHopHeaders(asked.rawHeaders), host: url.host, ...upstream?.headers }
    const outside = request({
      ...(upstream ?? endpoint),
      agent,
      method: asked.method,
      path: upstream ? url.href : `${url.pathname}${url.search}`,
      headers,
    })
    outside.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.statusMessage, dropHopHeaders(response.rawHeaders))
      response.pipe(answer)
      response.on('error', () => answer.destroy())
      // A cut-off response is cut off here, too.
      response.on('aborted', () => answer.destroy())
    })
    outside.on('error', () => answer.destroy())
    answer.on('close', () => outside.destroy())
    asked.pipe(outside)
  }
}

/** The path of a socket has at most 107 characters, so the socket is named through its opened folder. */
async function listenOnSocket(server: ReturnType<typeof createServer>, socket: string): Promise<FileHandle> {
  const folder = await open(dirname(socket), 'r')
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(`/proc/self/fd/${folder.fd}/${basename(socket)}`, resolve)
  })
  return folder
}

function pipeBothWays(inside: Socket, outside: Socket): void {
  inside.pipe(outside)
  outside.pipe(inside)
  for (const [one, other] of [
    [inside, outside],
    [outside, inside],
  ] as const) {
    one.on('error', () => other.destroy())
    // A side that ended normally may still have data on its way to the other.
    one.once('close', () => (one.readableEnded ? other.resume().end() : other.destroy()))
  }
}

function parseRequestEndpoint(url: string, defaultPort: number): Endpoint | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === '' ? undefined : { host, port: Number(port) || defaultPort }
}

function dropHopHeaders(raw: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    const value = raw[at + 1] ?? ''
    if (HOP_HEADERS.has(name)) continue
    const before = headers[name]
    headers[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return headers
}
