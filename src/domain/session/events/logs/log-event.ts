// `fix_log`: anything else worth telling, each kind with a code and facts of its own.
import { z } from 'zod'
import { defineEvent, type EventSubject, listDefinitions } from '../define-event.ts'
import * as baselineLogs from './baseline-logs.ts'
import { defineLog } from './define-log.ts'
import * as reviewLogs from './review-logs.ts'
import * as sessionLogs from './session-logs.ts'
import * as sharingLogs from './sharing-logs.ts'
import * as verificationLogs from './verification-logs.ts'
import * as workLogs from './work-logs.ts'

/** An event that was recorded before its data had a schema: only its message is known. */
const RECORDED_EARLIER = defineLog(
  'recorded_earlier',
  'note',
  z.object({}),
  () => 'recorded by an earlier version',
  (create) => create,
)

const LOGS = listDefinitions([
  sessionLogs,
  workLogs,
  verificationLogs,
  sharingLogs,
  baselineLogs,
  reviewLogs,
  { RECORDED_EARLIER },
])

/** The kind of entry, for programs. */
export const LogCode = z.enum(LOGS.map(({ code }) => code))

type LogData = z.output<(typeof LOGS)[number]['schema']>

const schemas = LOGS.map(({ schema }) => schema)
const LogData: z.ZodType<LogData> = z.discriminatedUnion('code', schemas as [(typeof schemas)[number]])

const describers = new Map<string, unknown>(LOGS.map(({ code, describe }) => [code, describe]))

export const LOG_EVENT = defineEvent(
  'fix_log',
  LogData,
  (data, subject) => {
    // A code's describer takes the data of that code.
    const describe = describers.get(data.code) as (data: LogData, subject: EventSubject) => string
    return describe(data, subject)
  },
  (create) => create,
)
