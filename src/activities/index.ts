// The activities, under the names by which the workflow calls them.
import type { SessionActivities } from '../domain/protocol/index.ts'
import { challengeTree } from './challenge/challenge-tree.ts'
import { closeSession } from './close/close-session.ts'
import { commitStage } from './commit/commit-stage.ts'
import { mergeStage } from './commit/merge-onto-branch.ts'
import type { ActivityContext } from './context.ts'
import { fixBatch } from './fix/fix-batch.ts'
import { type Heartbeat, withHeartbeat } from './heartbeat.ts'
import { createSession } from './open/create-session.ts'
import { openSession } from './open/open-session.ts'
import { recordMessages } from './people/record-messages.ts'
import { recordWait } from './people/record-wait.ts'
import { applyPlan } from './plan/apply-plan.ts'
import { clarify, planFixes } from './plan/clarify-and-plan.ts'
import { applyScopeDecision, prepareScopeRequest } from './scope/scope-decision.ts'
import { serializeByKey } from './serialize-per-session.ts'
import { proveFix } from './verify/regression-proof.ts'
import { verifyBaseline, verifyTree } from './verify/verify-tree.ts'

/**
 * Activities of one session run one after the other: an attempt that Temporal has given up may still be ending when the
 * next one begins. `recordMessages` waits for none, so that messages are on record while a fixer works.
 */
export function createSessionActivities(context: ActivityContext): SessionActivities {
  const inTurn = serializeByKey()
  const working =
    <Input extends { readonly sessionId: string; readonly endsAt?: number | undefined }, Output>(
      work: (context: ActivityContext, input: Input, heartbeat: Heartbeat) => Promise<Output>,
    ) =>
    (input: Input): Promise<Output> =>
      withHeartbeat((heartbeat) =>
        inTurn(input.sessionId, () => {
          heartbeat.signal.throwIfAborted()
          return work(context, input, { ...heartbeat, endsAt: input.endsAt })
        }),
      )
  return {
    createSession: (input) => withHeartbeat(() => createSession(context, input)),
    openSession: working(openSession),
    verifyBaseline: working(verifyBaseline),
    fixBatch: working(fixBatch),
    verifyTree: working(verifyTree),
    challengeTree: working(challengeTree),
    proveFix: working(proveFix),
    commitStage: working(commitStage),
    mergeStage: working(mergeStage),
    recordWait: working(recordWait),
    clarify: working(clarify),
    planFixes: working(planFixes),
    applyPlan: working(applyPlan),
    prepareScopeRequest: working(prepareScopeRequest),
    applyScopeDecision: working(applyScopeDecision),
    recordMessages: (input) => withHeartbeat(() => recordMessages(context, input)),
    closeSession: working(closeSession),
  }
}
