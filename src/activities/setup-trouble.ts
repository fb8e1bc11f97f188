// A setup that fails with a fix in it: before that is held against the fix, the same is tried on what the fix stands on. Where it fails
// there, too, a registry or the network is down; that is no verdict, and the step is tried again later.
import { ApplicationFailure } from '@temporalio/common'
import type { JudgeInput } from '../domain/protocol.ts'
import { inCheckout } from '../git/checkout.ts'
import type { Left } from '../git/files.ts'
import type { Workspace } from '../git/workspace.ts'
import type { Beat } from './beating.ts'
import { tellLeft } from './clearing.ts'
import { setUp, whyNotSetUp } from './setting-up.ts'
import type { Session, Workshop } from './workshop.ts'

export async function excuseSetup(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { call, head }: JudgeInput,
  beat: Beat,
): Promise<void> {
  const name = `${call}.without`
  const onLeft = (left: Left) => tellLeft(shop, session, left)
  const set = await inCheckout(workspace, { tree: head, head, name, onLeft, signal: beat.signal }, ({ folder }) =>
    setUp(shop, session, workspace, { call: name, place: { folder, tree: head } }, beat),
  )
  if (set.kind !== 'failed') return
  throw ApplicationFailure.retryable(await shop.masking.text(whyNotSetUp(set.run, 'what the fix stands on, too')))
}
