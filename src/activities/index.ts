// The activities by the names that the workflow calls them by. Each of them beats while it works and may run twice.
import type { SessionActivities } from '../domain/protocol.ts'
import { type Beat, beating } from './beating.ts'
import { challengeTree } from './challenging.ts'
import { closeSession, note } from './closing.ts'
import { commitStage, mergeStage } from './committing.ts'
import { fixBatch } from './fixing.ts'
import { openSession } from './opening.ts'
import { verifyBase, verifyTree } from './verifying.ts'
import type { Workshop } from './workshop.ts'

export function sessionActivities(shop: Workshop): SessionActivities {
  const working =
    <Input, Output>(work: (shop: Workshop, input: Input, beat: Beat) => Promise<Output>) =>
    (input: Input): Promise<Output> =>
      beating((beat) => work(shop, input, beat))
  return {
    openSession: working(openSession),
    verifyBase: working(verifyBase),
    fixBatch: working(fixBatch),
    verifyTree: working(verifyTree),
    challengeTree: working(challengeTree),
    commitStage: working(commitStage),
    mergeStage: working(mergeStage),
    note: working(note),
    closeSession: working(closeSession),
  }
}
