// The log of the HTTP service: a line of JSON for each request, without secrets.
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '../../platform/logging/logger.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import type { AppContext } from '../context.ts'

export interface RequestLog {
  readonly path: string
  note(fields: Readonly<Record<string, unknown>> & { readonly status: number }, error?: Error): void
  noteDroppedSpans(reason: string, spans: number): void
  close(): Promise<void>
}

export function openRequestLog({ home, env }: Pick<AppContext, 'home' | 'env'>): RequestLog {
  const path = join(home.logs, 'server.log')
  const fd = openSync(path, 'a', 0o600)
  const log = createLogger({ masking: createMasking(env), fd })
  return {
    path,
    note(fields, error) {
      if (fields.status >= 500) log.error('a request failed', { ...fields, error })
      else log.info('a request', fields)
    },
    noteDroppedSpans: (reason, spans) => log.warn('spans could not be sent', { reason, spans }),
    async close() {
      await log.flush()
      closeSync(fd)
    },
  }
}
