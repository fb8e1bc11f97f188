// The activities by the names that the workflow calls them by. Each of them beats while it works and may run twice, one run
// after the other: an attempt that Temporal has given up may still be at its end when the next one begins. What is said to a
// session is written down beside all that: it waits for nobody's fixer.
import type { SessionActivities } from '../domain/protocol.ts'
import { type Beat, beating } from './beating.ts'
import { challengeTree } from './challenging.ts'
import { closeSession } from './closing.ts'
import { commitStage } from './committing.ts'
import { fixBatch } from './fixing.ts'
import { layPlan } from './laying.ts'
import { mergeStage } from './merging.ts'
import { openSession } from './opening.ts'
import { proveFix } from './proving.ts'
import { logSaid } from './said.ts'
import { askScope, settleScope } from './scoping.ts'
import { clarify, planFixes } from './talking.ts'
import { turns } from './turns.ts'
import { verifyBase, verifyTree } from './verifying.ts'
import { note } from './waiting.ts'
import type { Workshop } from './workshop.ts'

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
