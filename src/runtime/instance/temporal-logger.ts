// Sends the log of Temporal's SDK and its native core to ours. Messages stay as they are; fields get names in our style.
import type { LogEntry, LogLevel as TemporalLogLevel } from '@temporalio/worker'
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

/** Call it before each connection: when the last one closes, the SDK drops its runtime and with it the logger. */
export async function installTemporalLogger(log: Logger): Promise<void> {
  const { DefaultLogger, Runtime } = await import('@temporalio/worker')
  try {
    Runtime.install({
      logger: new DefaultLogger('DEBUG', ({ level, message, meta }) =>
        log.record(LEVELS[level], message, toFields(meta)),
      ),
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    })
  } catch (error) {
    // A connection did not close, so its runtime is still there and logs to the same place.
    if ((error as Error).name !== 'IllegalStateError') throw error
  }
}

function toFields(meta: LogEntry['meta'] = {}): LogFields {
  const kept = Object.entries(meta).filter(([name]) => !LEFT_OUT.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}
