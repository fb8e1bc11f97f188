// Runs the operator's `notify.command` when a long session ends or waits for a person. At most once for an event: a worker that dies
// right then tells nobody. A session never waits for the command, and its failure is only logged.

import type { SessionEvent } from '../../domain/session/events/index.ts'
import { findNotice, isNoticeable } from '../../domain/session/notice.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import { withoutSecretVariables } from '../../platform/masking/environment-secrets.ts'
import { runTool } from '../../platform/processes/run-tool.ts'
import type { Store } from '../../store/store.ts'
import type { Environment } from '../home/home.ts'

const MAX_MS = 10_000

export interface Announcer {
  announce(event: SessionEvent): void
  /** Waits for the commands that still run. */
  finish(): Promise<void>
}

export function createAnnouncer({
  store,
  env,
  log,
}: {
  readonly store: Store
  readonly env: Environment
  readonly log: Logger
}): Announcer {
  const running = new Set<Promise<void>>()
  return {
    announce(event) {
      // Most events tell nobody anything, and to read a session takes longer than to write an event.
      if (!isNoticeable(event.type)) return
      const run = runNotifyCommand(event).catch((error: unknown) => log.warn('notify.command failed', { error }))
      running.add(run)
      void run.finally(() => running.delete(run))
    },
    finish: async () => void (await Promise.all(running)),
  }

  async function runNotifyCommand(event: SessionEvent): Promise<void> {
    const session = await store.sessions.get(event.session_id)
    const command = session?.settings.notify?.command
    if (!session || !command) return
    const notice = findNotice(session, event)
    if (!notice) return
    const ran = await runTool('/bin/sh', ['-c', command], {
      env: {
        // Where the command does not quote the message, an agent's words run as a command: it must not see the keys of the models.
        ...withoutSecretVariables(env),
        FIXWRIGHT_SESSION: session.session_id,
        FIXWRIGHT_EVENT: notice.event,
        FIXWRIGHT_STATUS: session.status,
        FIXWRIGHT_REPOSITORY: session.repository,
        FIXWRIGHT_MESSAGE: notice.message,
      },
      timeoutMs: MAX_MS,
    })
    if (ran.failure !== undefined)
      log.warn('notify.command failed', { session_id: session.session_id, reason: ran.failure })
  }
}
