import type { NewEvent } from '../domain/session/events.ts'
import { withTotals } from './agent-call/enforce-budget.ts'
import type { Workshop } from './context.ts'

export async function tell(
  { store, masking }: Pick<Workshop, 'store' | 'masking'>,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<void> {
  await store.events.append(sessionId, await masking.values(await withTotals({ store }, sessionId, events)))
}
