// All that `up` serves: the API, and its metrics where the settings name a port for them.
import type { AppContext } from '../app/context.ts'
import type { Settings } from '../domain/settings/schema.ts'
import { serveMetrics } from './metrics/serve-metrics.ts'
import { type ServedApi, serveApi } from './serve-api.ts'

export interface Service extends Pick<ServedApi, 'url' | 'createLoginUrl' | 'close'> {
  readonly metricsUrl: string | undefined
}

export async function startService(
  app: AppContext,
  { server: own, metrics: { host, port }, tracing }: Pick<Settings, 'server' | 'metrics' | 'tracing'>,
): Promise<Service> {
  const { url, createLoginUrl, close, requests } = await serveApi(app, own, { tracing })
  try {
    const metrics = port === null ? undefined : await serveMetrics(app, { host, port, names: own.names, requests })
    return {
      url,
      createLoginUrl,
      metricsUrl: metrics?.url,
      close: async () => void (await Promise.all([close(), metrics?.close()])),
    }
  } catch (error) {
    await close()
    throw error
  }
}
