// Serves the API of a home until it is closed. On loopback as it is; any other address needs TLS or a proxy that has it.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext } from 'node:tls'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { createLoginCodes } from '../app/access/login-codes.ts'
import { openTracer } from '../app/access/open-tracer.ts'
import { openRequestLog } from '../app/access/request-log.ts'
import type { AppContext } from '../app/context.ts'
import { FixwrightError } from '../app/errors.ts'
import type { Settings } from '../domain/settings/schema.ts'
import { readPackageVersion } from '../runtime/home/package-root.ts'
import { createApi } from './api.ts'
import { createEventHub } from './events/event-hub.ts'
import { STREAM_TIMING, type StreamTiming } from './events/stream-timing.ts'
import { isLoopbackName } from './gate/check-origin.ts'
import { SECURITY_HEADERS } from './gate/headers.ts'
import { createRateLimits } from './gate/rate-limits.ts'
import { createRequestTimes, type RequestTimes } from './metrics/request-times.ts'
import { formatProblem, PROBLEM_TYPE } from './problem.ts'

export interface ServedApi {
  /** By which clients reach it. */
  readonly url: string
  /** Where it listens. */
  readonly port: number
  readonly requests: RequestTimes
  /** A page that its first visitor within minutes is signed in to. */
  createLoginUrl(): string
  close(): Promise<void>
}

/** A port close by is easy to find for a person who knows the usual one; a crowded machine gets any. */
const PORTS_TO_TRY = 10
const FAILED_SIGN_INS_PER_MINUTE = 30
/** Names may have some thousand characters, and each may be twelve in an address. */
const MAX_HEADER_BYTES = 65_536

/** The times are those of tests, which are slower or faster than people. */
export interface ServerTuning extends Partial<StreamTiming> {
  readonly tracing?: Settings['tracing']
  readonly failedSignInsPerMinute?: number
}

export async function serveApi(
  app: AppContext,
  settings: Settings['server'],
  { failedSignInsPerMinute = FAILED_SIGN_INS_PER_MINUTE, tracing = { endpoint: null }, ...changed }: ServerTuning = {},
): Promise<ServedApi> {
  const tls = readTls(settings)
  const isLocal = isLoopbackName(toUrlHost(settings.host))
  if (!isLocal && tls === undefined && !settings.behind_proxy) {
    throw new FixwrightError(
      'settings_invalid',
      `server.host ${settings.host} can be reached from other machines: give server.tls_certificate and server.tls_key, or set server.behind_proxy where a proxy has TLS`,
    )
  }
  const [publicName] = settings.names
  if (!isLocal && publicName === undefined) {
    throw new FixwrightError(
      'settings_invalid',
      `server.host ${settings.host} can be reached from other machines: give server.names the names by which they call it`,
    )
  }
  const logins = createLoginCodes()
  const log = openRequestLog(app)
  const tracer = openTracer(app, tracing, log)
  const limits = createRateLimits({ requestsPerMinute: settings.requests_per_minute, failedSignInsPerMinute })
  const closing = new AbortController()
  const timing = { ...STREAM_TIMING, ...changed }
  const hub = createEventHub(app)
  const version = readPackageVersion()
  const requests = createRequestTimes()
  const api = createApi({
    app,
    settings,
    version,
    logins,
    log,
    limits,
    requests,
    tracer,
    hub,
    timing,
    closing: closing.signal,
  })
  const options = { maxHeaderSize: MAX_HEADER_BYTES }
  const node = createAdaptorServer(
    tls === undefined
      ? { fetch: api.fetch, serverOptions: options }
      : { fetch: api.fetch, createServer: createTlsServer, serverOptions: { ...options, ...tls } },
  )
  node.on('clientError', answerBrokenRequest)
  const port = await listen(node, settings).catch(async (error: Error) => {
    await log.close()
    throw new FixwrightError('address_unusable', `the HTTP service can't listen on ${settings.host}: ${error.message}`)
  })
  const scheme = tls === undefined ? 'http' : 'https'
  const url = isLocal ? `${scheme}://${toUrlHost(settings.host)}:${port}` : toPublicUrl(`${publicName}`, port, settings)
  return {
    url,
    port,
    requests,
    createLoginUrl: () => `${url}/#login=${logins.create()}`,
    async close() {
      if (closing.signal.aborted) return
      closing.abort()
      const closed = new Promise<void>((resolve) => node.close(() => resolve()))
      if ('closeAllConnections' in node) node.closeAllConnections()
      await closed
      await tracer?.close()
      await log.close()
    },
  }
}

function toUrlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

/** A proxy has TLS, and listens where that usually is. */
function toPublicUrl(name: string, port: number, { behind_proxy }: Settings['server']): string {
  return behind_proxy ? `https://${name}` : `https://${name}:${port}`
}

/** A port that is taken moves on to the next free one. */
async function listen(node: ServerType, { host, port }: Settings['server']): Promise<number> {
  const wanted = port === 0 ? [0] : [...Array.from({ length: PORTS_TO_TRY }, (_, step) => port + step), 0]
  for (const each of wanted.filter((candidate) => candidate <= 65_535)) {
    const error = await tryListening(node, host.replace(/^\[|\]$/g, ''), each)
    if (error === undefined) return (node.address() as AddressInfo).port
    if (error.code !== 'EADDRINUSE') throw error
  }
  throw new Error('every port is taken')
}

function tryListening(node: ServerType, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const onError = (error: Error): void => {
      node.off('listening', onListening)
      resolve(error)
    }
    const onListening = (): void => {
      node.off('error', onError)
      resolve(undefined)
    }
    node.once('error', onError)
    node.once('listening', onListening)
    node.listen(port, host)
  })
}

function readTls({ tls_certificate, tls_key }: Settings['server']) {
  if (tls_certificate === null && tls_key === null) return undefined
  if (tls_certificate === null || tls_key === null) {
    throw new FixwrightError('settings_invalid', 'server.tls_certificate and server.tls_key belong together: give both')
  }
  try {
    const tls = { cert: readFileSync(tls_certificate), key: readFileSync(tls_key) }
    createSecureContext(tls)
    return tls
  } catch (error) {
    throw new FixwrightError('file_unusable', `the files of server.tls_… can't be used: ${(error as Error).message}`)
  }
}

/** What is no request of HTTP comes to no route. The answer is a problem like any other. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW'
  const [status, phrase, detail] = isTooLong
    ? ([431, 'Request Header Fields Too Large', 'the address and the headers together are too long'] as const)
    : ([400, 'Bad Request', 'this is no request of HTTP'] as const)
  const body = formatProblem({ status, code: 'bad_input', detail, request_id: randomUUID() })
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': `${Buffer.byteLength(body)}`,
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join('')}\r\n${body}`)
}
