// Serves the metrics of a home for Prometheus, on a port of their own and without a token: they are numbers only.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AppContext } from '../../app/context.ts'
import { FixwrightError } from '../../app/errors.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { readPackageVersion } from '../../runtime/home/package-root.ts'
import { isOwnName } from '../gate/check-origin.ts'
import { formatMetrics, METRICS_TYPE } from './format-metrics.ts'
import { listMetrics, STATISTICS_BOUNDS } from './list-metrics.ts'
import type { RequestTimes } from './request-times.ts'

export interface MetricsOptions {
  readonly host: string
  readonly port: number
  /** By which other machines may call it. */
  readonly names: Settings['server']['names']
  readonly requests: RequestTimes
}

export interface ServedMetrics {
  readonly url: string
  close(): Promise<void>
}

export async function serveMetrics(
  { store }: Pick<AppContext, 'store'>,
  { host, port, names, requests }: MetricsOptions,
): Promise<ServedMetrics> {
  const version = readPackageVersion()
  const answer = async ({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const refusal = findRefusal(method, url, isOwnName(headers.host, names))
    if (refusal !== undefined) return void response.writeHead(refusal, { 'content-type': 'text/plain' }).end()
    const statistics = await store.statistics.read(STATISTICS_BOUNDS)
    const text = formatMetrics(listMetrics(statistics, requests, version))
    response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(text)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(503, { 'content-type': 'text/plain' }).end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new FixwrightError('address_unusable', `metrics can't be served at ${host}, port ${port}: ${error.message}`),
      ),
    )
    server.listen(port, host, resolve)
  })
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function findRefusal(method: string, url: string, isOwn: boolean): number | undefined {
  if (!isOwn) return 421
  if (url.split('?')[0] !== '/metrics') return 404
  return method === 'GET' || method === 'HEAD' ? undefined : 405
}
