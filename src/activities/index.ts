// The activities by the names that the workflow calls them by. Each of them beats while it works and may run twice, one run
// after the other: an attempt that Temporal has given up may still be at its end when the next one begins. What is said to a
// session is written down beside all that: it waits for nobody's fixer.
import type { SessionActivities } from '../domain/protocol/index.ts'
import { challengeTree } from './challenge/challenge-tree.ts'
import { closeSession } from './close/close-session.ts'
import { commitStage } from './commit/commit-stage.ts'
import { mergeStage } from './commit/merge-onto-branch.ts'
import type { Workshop } from './context.ts'
import { fixBatch } from './fix/fix-batch.ts'
import { type Beat, beating } from './heartbeat.ts'
import { openSession } from './open/open-session.ts'
import { logSaid } from './people/record-messages.ts'
import { note } from './people/record-wait.ts'
import { layPlan } from './plan/apply-plan.ts'
import { clarify, planFixes } from './plan/clarify-and-plan.ts'
import { askScope, settleScope } from './scope/ask-and-settle-scope.ts'
import { turns } from './serialize-per-session.ts'
import { proveFix } from './verify/regression-proof.ts'
import { verifyBase, verifyTree } from './verify/verify-tree.ts'

export function sessionActivities(shop: Workshop): SessionActivities {
  const inTurn = turns()
  const working =
    <Input extends { readonly sessionId: string; readonly endsAt?: number | undefined }, Output>(
      work: (shop: Workshop, input: Input, beat: Beat) => Promise<Output>,
    ) =>
    (input: Input): Promise<Output> =>
      beating((beat) =>
        inTurn(input.sessionId, () => {
          beat.signal.throwIfAborted()
          return work(shop, input, { ...beat, endsAt: input.endsAt })
        }),
      )
  return {
    openSession: working(openSession),
    verifyBase: working(verifyBase),
    fixBatch: working(fixBatch),
    verifyTree: working(verifyTree),
    challengeTree: working(challengeTree),
    proveFix: working(proveFix),
    commitStage: working(commitStage),
    mergeStage: working(mergeStage),
    note: working(note),
    clarify: working(clarify),
    planFixes: working(planFixes),
    layPlan: working(layPlan),
    askScope: working(askScope),
    settleScope: working(settleScope),
    logSaid: (input) => beating(() => logSaid(shop, input)),
    closeSession: working(closeSession),
  }
}
