// Sends the log of Temporal's SDK and its native core to ours, and serves its metrics where the settings name a port. Messages stay as they
// are; fields get names in our style.
import { lookup } from 'node:dns/promises'
import type { LogEntry, LogLevel as TemporalLogLevel } from '@temporalio/worker'
import type { Settings } from '../../domain/settings/schema.ts'
import type { LogFields } from '../../platform/logging/log-fields.ts'
import type { Logger, LogLevel } from '../../platform/logging/logger.ts'

const LEVELS: Readonly<Record<TemporalLogLevel, LogLevel>> = {
  TRACE: 'debug',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
}
/** Long, and useful only to the SDK. */
const LEFT_OUT = new Set(['taskToken'])

/**
 * Call it before each connection: when the last one closes, the SDK drops its runtime, and with it the logger and the port of its metrics.
 * A port that can't be had is no reason not to work.
 */
export async function installTemporalRuntime(log: Logger, { host, temporal_port }: Settings['metrics']): Promise<void> {
  if (temporal_port === null) return await installRuntime(log)
  try {
    await installRuntime(log, await toSocketAddress(host, temporal_port))
  } catch (error) {
    log.warn("the metrics of Temporal's SDK are not served", { host, port: temporal_port, error })
    await installRuntime(log)
  }
}

async function installRuntime(log: Logger, bindAddress?: string): Promise<void> {
  const { DefaultLogger, Runtime } = await import('@temporalio/worker')
  const prometheus = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true }
  try {
    Runtime.install({
      logger: new DefaultLogger('DEBUG', ({ level, message, meta }) =>
        log.record(LEVELS[level], message, toFields(meta)),
      ),
      telemetryOptions: {
        logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
        ...(bindAddress === undefined ? {} : { metrics: { prometheus: { bindAddress, ...prometheus } } }),
      },
    })
  } catch (error) {
    // A connection did not close, so its runtime is still there and logs to the same place.
    if ((error as Error).name !== 'IllegalStateError') throw error
  }
}

/** The SDK takes no names. */
async function toSocketAddress(host: string, port: number): Promise<string> {
  const { address, family } = await lookup(host)
  return `${family === 6 ? `[${address}]` : address}:${port}`
}

function toFields(meta: LogEntry['meta'] = {}): LogFields {
  const kept = Object.entries(meta).filter(([name]) => !LEFT_OUT.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}
