import { type NewEvent, withSessionTotal } from '../domain/session/events/index.ts'
import type { ActivityContext } from './context.ts'

/** Appends events to the session's record, with what it has spent so far and without secrets. */
export async function appendEvents(
  { store, masking, announce }: Pick<ActivityContext, 'store' | 'masking' | 'announce'>,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<void> {
  const total = await store.agentCalls.sumSpending(sessionId)
  const masked = await masking.maskValues(events.map((event) => withSessionTotal(event, total)))
  // An event that was there already has been announced.
  for (const event of await store.events.append(sessionId, masked)) announce?.(event)
}
