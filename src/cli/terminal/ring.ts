// Gives the terminal that follows a session a sign when it ends or waits, for a person who looks elsewhere by then.
import { findSessionNotice } from '../../app/session/session-notice.ts'
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { sanitizeLine } from './sanitize.ts'

/** Events that are older when they are shown belong to what was missed, and need no sign. */
const FRESH_MS = 10_000

export function ringOnNews(session: SessionRecord, event: SessionEvent): void {
  const how = session.settings.notify?.terminal ?? 'off'
  if (how === 'off' || !process.stderr.isTTY || Date.now() - Date.parse(event.timestamp) > FRESH_MS) return
  const notice = findSessionNotice(session, event)
  if (notice) process.stderr.write(how === 'bell' ? '\u0007' : `\u001b]9;${sanitizeLine(notice.message)}\u0007`)
}
