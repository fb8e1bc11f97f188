import { fixMessageRefused } from '../../domain/session/events/wait-events.ts'
import type { MessageRecord } from '../../domain/workflow-types/index.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext } from '../context.ts'

/**
 * All messages go on record, also those that came too early, too late, twice or misspelt. Only refused ones need an
 * event: a taken one shows in its effects, and an ended session has had its last event.
 */
export async function recordMessages(
  context: Pick<ActivityContext, 'store' | 'masking'>,
  { sessionId, messages }: { readonly sessionId: string; readonly messages: readonly MessageRecord[] },
): Promise<void> {
  await context.store.messages.add(sessionId, await context.masking.maskValues(messages))
  await appendEvents(context, sessionId, messages.filter(({ outcome }) => outcome !== 'taken').map(fixMessageRefused))
}
