// The log of the instance and its worker: one line of JSON per message. Secrets are masked before pino gets a line. Masking may
// take a moment, so lines wait in a queue, where they keep their order and their time.
import type { Logger as Pino } from 'pino'
import type { Masking } from '../masking/mask-secrets.ts'
import { type LogFields, toLogFields } from './log-fields.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** Warnings and errors are searched for, counted and alerted on by their messages, so variable parts go into the fields. */
  warn<Message extends string>(message: Constant<Message>, fields?: LogFields): void
  error<Message extends string>(message: Constant<Message>, fields?: LogFields): void
  /** For a library that logs through us, with messages of its own. */
  record(level: LogLevel, message: string, fields?: LogFields): void
  child(fields: LogFields): Logger
  flush(): Promise<void>
}

/** Accepts only literal texts: `string`, or a template with a `string` in it, accepts any key, so an empty object has them all. */
type Constant<Text extends string> = Record<never, never> extends Record<Text, 1> ? never : Text

export interface LoggerOptions {
  readonly masking: Pick<Masking, 'maskValues'>
  /** Open for appending: the log's rotation truncates the file below us. */
  readonly fd: number
}

export function createLogger({ masking, fd }: LoggerOptions): Logger {
  let opened: Promise<Pino> | undefined
  let written = Promise.resolve()

  const write = async (level: LogLevel, message: string, fields: LogFields): Promise<void> => {
    opened ??= openPino(fd)
    const pino = await opened
    try {
      const masked = await masking.maskValues({ message, fields })
      pino[level](masked.fields, masked.message)
    } catch {
      pino.error({ time: fields.time }, 'a line is withheld: it could not be masked')
    }
  }

  const withFields = (own: LogFields): Logger => {
    const record: Logger['record'] = (level, message, fields) => {
      const line = { time: new Date().toISOString(), ...toLogFields({ ...own, ...fields }) }
      // A log that can't be written (a full disk, say) is no reason to stop.
      written = written.then(() => write(level, message, line)).catch(() => undefined)
    }
    return {
      debug: (message, fields) => record('debug', message, fields),
      info: (message, fields) => record('info', message, fields),
      warn: (message, fields) => record('warn', message, fields),
      error: (message, fields) => record('error', message, fields),
      record,
      child: (fields) => withFields({ ...own, ...fields }),
      flush: () => written,
    }
  }
  return withFields({ pid: process.pid })
}

/** Loaded for the first line, so that no command waits for it. */
async function openPino(fd: number): Promise<Pino> {
  const { default: pino } = await import('pino')
  const destination = pino.destination({ fd, sync: true })
  destination.on('error', () => undefined)
  const formatters = { level: (level: string) => ({ level }) }
  return pino({ level: 'debug', base: null, timestamp: false, formatters }, destination)
}
