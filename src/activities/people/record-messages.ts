// What was said to a session, for its log: also what came too early, too late, twice or misspelt, and changed nothing.

import type { MessageRecord } from '../../domain/protocol/index.ts'
import { fixMessageRefused } from '../../domain/session/events/wait-events.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext } from '../context.ts'

/** What was taken shows in what follows from it; only the rest needs an event, and an ended session has had its last. */
export async function recordMessages(
  context: Pick<ActivityContext, 'store' | 'masking'>,
  { sessionId, messages }: { readonly sessionId: string; readonly messages: readonly MessageRecord[] },
): Promise<void> {
  await context.store.messages.add(sessionId, await context.masking.maskValues(messages))
  await appendEvents(context, sessionId, messages.filter(({ outcome }) => outcome !== 'taken').map(fixMessageRefused))
}
