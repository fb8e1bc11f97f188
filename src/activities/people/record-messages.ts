// What was said to a session, for its log: also what came too early, too late, twice or misspelt, and changed nothing.

import type { Said } from '../../domain/protocol/index.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import { tell } from '../append-events.ts'
import type { Workshop } from '../context.ts'

/** What was taken shows in what follows from it; only the rest needs an event, and an ended session has had its last. */
export async function logSaid(
  shop: Pick<Workshop, 'store' | 'masking'>,
  { sessionId, said }: { readonly sessionId: string; readonly said: readonly Said[] },
): Promise<void> {
  await shop.store.said.add(sessionId, await shop.masking.values(said))
  await tell(shop, sessionId, said.filter(({ outcome }) => outcome !== 'taken').map(eventOf))
}

function eventOf({ key, name, outcome, says, by, from, at }: Said): NewEvent {
  const message = `${name} by ${by}, from ${from}: ${outcome === 'refused' ? 'refused, ' : ''}${says}`
  const data = { name, outcome, says, by, from, at: new Date(at).toISOString() }
  return { key, type: 'fix_message_refused', message, data }
}
