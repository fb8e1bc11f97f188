// What Temporal's SDK logs, its native core included, goes into our log. Its messages stay, its fields are named as ours.
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
/** Long, and of use to the SDK alone. */
const LEFT_OUT = new Set(['taskToken'])

/** Before each connection: the SDK forgets its runtime, and with it the logger, when the last one is closed. */
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
    // A connection that would not close: its runtime logs to the same place.
    if ((error as Error).name !== 'IllegalStateError') throw error
  }
}

function toFields(meta: LogEntry['meta'] = {}): LogFields {
  const kept = Object.entries(meta).filter(([name]) => !LEFT_OUT.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}
