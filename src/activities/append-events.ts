import { type NewEvent, withSessionTotal } from '../domain/session/events/index.ts'
import type { ActivityContext } from './context.ts'

/** Appends events to the session's record, with what it has spent so far and without secrets. */
export async function appendEvents(
  { store, masking, announce, lane }: Pick<ActivityContext, 'store' | 'masking' | 'announce' | 'lane'>,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<void> {
  const total = await store.agentCalls.sumSpending(sessionId)
  const masked = await masking.maskValues(events.map((event) => withSessionTotal(event, total, lane)))
  // An event that was there already has been announced.
  for (const event of await store.events.append(sessionId, masked)) announce?.(event)
}
