// What was said to a session, for its log: also what came too early, too late, twice or misspelt, and changed nothing.

import type { MessageRecord } from '../../domain/protocol/index.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext } from '../context.ts'

/** What was taken shows in what follows from it; only the rest needs an event, and an ended session has had its last. */
export async function recordMessages(
  context: Pick<ActivityContext, 'store' | 'masking'>,
  { sessionId, said }: { readonly sessionId: string; readonly said: readonly MessageRecord[] },
): Promise<void> {
  await context.store.messages.add(sessionId, await context.masking.maskValues(said))
  await appendEvents(context, sessionId, said.filter(({ outcome }) => outcome !== 'taken').map(messageRefusedEvent))
}

function messageRefusedEvent({ key, name, outcome, response, by, from, at }: MessageRecord): NewEvent {
  const message = `${name} by ${by}, from ${from}: ${outcome === 'refused' ? 'refused, ' : ''}${response}`
  const data = { name, outcome, says: response, by, from, at: new Date(at).toISOString() }
  return { key, type: 'fix_message_refused', message, data }
}
