// Finds out whether a failed setup is the fix's fault, by the same setup on the fix's baseline commit.

import { ApplicationFailure } from '@temporalio/common'
import type { GateInput } from '../../domain/protocol/index.ts'
import { logCheckoutLeft } from '../../domain/session/events/logs/verification-logs.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import type { Leftover } from '../../platform/git/files.ts'
import { withFreshCheckout } from '../../platform/git/workspace/fresh-checkout.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext, Session } from '../context.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { describeSetupFailure, runSetup } from './run-setup.ts'

/**
 * A setup that fails there, too, is no verdict (a registry or the network is down), so the step is tried again later.
 * Without fresh checkouts it may need files of the session's tree, so it is tried there as well.
 */
export async function assertSetupFailureIsOurs(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { stepId, head }: GateInput,
  heartbeat: Heartbeat,
): Promise<void> {
  const { signal } = heartbeat
  const setUpIn = (folder: string, setupId: string) =>
    runSetup(context, session, workspace, { stepId: setupId, place: { folder, tree: head } }, heartbeat)
  const name = formatStepPart(stepId, { kind: 'setup_without_fix' })
  const onLeft = (left: Leftover) => appendEvents(context, session.id, [logCheckoutLeft(left)])
  const request = { tree: head, head, name, onLeftover: onLeft, signal }
  const set = await withFreshCheckout(workspace, request, ({ folder }) => setUpIn(folder, name))
  if (set.kind !== 'failed') return
  if (!session.settings.verification.fresh_checkout) {
    await resetWorkTree(workspace, head, { head, signal })
    const there = formatStepPart(name, { kind: 'setup_in_work_tree' })
    if ((await setUpIn(workspace.tree, there)).kind !== 'failed') return
  }
  throw ApplicationFailure.retryable(
    await context.masking.maskText(describeSetupFailure(set.run, 'what the fix stands on, too')),
  )
}
