// A setup that fails with a fix in it: before that is held against the fix, the same is tried on what the fix stands on. Where it fails
// there, too, a registry or the network is down; that is no verdict, and the step is tried again later. Where there are no fresh checkouts,
// one that fails in an empty folder proves nothing: it may need what is in the session's tree, so there it is tried as well.
import { ApplicationFailure } from '@temporalio/common'
import type { JudgeInput } from '../../domain/protocol/index.ts'
import type { Left } from '../../platform/git/files.ts'
import { inCheckout } from '../../platform/git/workspace/fresh-checkout.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { resetTo } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { tellLeft } from '../close/remove-session-folder.ts'
import type { Session, Workshop } from '../context.ts'
import type { Beat } from '../heartbeat.ts'
import { setUp, whyNotSetUp } from './run-setup.ts'

export async function excuseSetup(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { call, head }: JudgeInput,
  beat: Beat,
): Promise<void> {
  const { signal } = beat
  const setUpIn = (folder: string, name: string) =>
    setUp(shop, session, workspace, { call: name, place: { folder, tree: head } }, beat)
  const name = `${call}.without`
  const onLeft = (left: Left) => tellLeft(shop, session, left)
  const request = { tree: head, head, name, onLeft, signal }
  const set = await inCheckout(workspace, request, ({ folder }) => setUpIn(folder, name))
  if (set.kind !== 'failed') return
  if (!session.settings.verification.fresh_checkout) {
    await resetTo(workspace, head, { head, signal })
    if ((await setUpIn(workspace.tree, `${name}.there`)).kind !== 'failed') return
  }
  throw ApplicationFailure.retryable(await shop.masking.text(whyNotSetUp(set.run, 'what the fix stands on, too')))
}
