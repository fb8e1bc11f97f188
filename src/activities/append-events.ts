import type { NewEvent } from '../domain/session/events/index.ts'
import { addSessionTotals } from './agent-call/enforce-budget.ts'
import type { ActivityContext } from './context.ts'

export async function appendEvents(
  { store, masking }: Pick<ActivityContext, 'store' | 'masking'>,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<void> {
  await store.events.append(sessionId, await masking.maskValues(await addSessionTotals({ store }, sessionId, events)))
}
