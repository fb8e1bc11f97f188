import { type NewEvent, withSessionTotal } from '../domain/session/events/index.ts'
import type { ActivityContext } from './context.ts'

/** Appends events to the session's record, with what it has spent so far and without secrets. */
export async function appendEvents(
  { store, masking }: Pick<ActivityContext, 'store' | 'masking'>,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<void> {
  const total = await store.agentCalls.sumSpending(sessionId)
  await store.events.append(sessionId, await masking.maskValues(events.map((event) => withSessionTotal(event, total))))
}
