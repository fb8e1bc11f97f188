// Runs the operator's setup and commands on a tree, in the session's work tree or a fresh checkout, without a verdict. A fresh checkout
// takes a copy of what the setup made on the base, where it may.

import { logSetupNotShared } from '../../domain/session/events/logs/sharing-logs.ts'
import { logByProductsIgnored, logCheckoutLeft } from '../../domain/session/events/logs/verification-logs.ts'
import { BASELINE_STEP_ID } from '../../domain/session/step-id.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import type { Leftover } from '../../platform/git/unruly-files.ts'
import { writeTrackedFiles } from '../../platform/git/workspace/fill-tree.ts'
import { withFreshCheckout } from '../../platform/git/workspace/fresh-checkout.ts'
import type { PreparedFiles } from '../../platform/git/workspace/prepared-files.ts'
import {
  ignorePaths,
  listModified,
  listUntracked,
  resetWorkTree,
} from '../../platform/git/workspace/snapshot-and-reset.ts'
import { appendEvents } from '../append-events.ts'
import { loadGateRecord } from '../gate-records.ts'
import type { VerifyContext } from './run-command.ts'
import { type CheckLocation, type ChecksInput, runCommandsIn } from './run-commands.ts'
import { type SetupLocation, setupRecordFile } from './run-setup.ts'
import { findSharedSetup, forgetSharedSetup, lacksSetup } from './share-setup.ts'

/** Returns a run of each command; if the setup failed, the last one is that of the setup's command. */
export async function runChecks(at: VerifyContext, input: ChecksInput): Promise<readonly VerificationRun[]> {
  const { workspace } = at
  const { stepId, head, tree, inFreshCheckout } = input
  const on = (where: CheckLocation) => runCommandsIn(at, { ...input, ...where })
  if (inFreshCheckout) return await runInFreshCheckout(at, input, on)
  const reset = () => resetWorkTree(workspace, tree, { head })
  await reset()
  const place: SetupLocation = {
    folder: workspace.tree,
    tree,
    recordFile: setupRecordFile(workspace),
    afterSetup: async () => await ignoreByProducts(at, `${stepId}/setup`, await listUntracked(workspace)),
  }
  return await on({
    place,
    reset,
    listRewrittenFiles: () => listModified(workspace),
    restoreTrackedFiles: () => writeTrackedFiles(workspace, tree),
  })
}

async function runInFreshCheckout(
  at: VerifyContext,
  { stepId, head, tree }: ChecksInput,
  on: (where: CheckLocation) => Promise<readonly VerificationRun[]>,
): Promise<readonly VerificationRun[]> {
  const { context, session, workspace } = at
  const onLeftover = (left: Leftover) => appendEvents(context, session.id, [logCheckoutLeft(left)])
  const runWith = (shared: PreparedFiles | undefined) => {
    const request = { tree, head, name: stepId, inPlace: shared !== undefined, onLeftover }
    return withFreshCheckout(workspace, request, ({ folder, reset, listModified: changed }) => {
      const place = { folder, tree, retries: 1, shared }
      return on({ place, reset, listRewrittenFiles: changed, restoreTrackedFiles: reset })
    })
  }
  const shared = await findSharedSetup(at, tree)
  const runs = await runWith(shared)
  const base = shared && (await loadGateRecord(context, session, BASELINE_STEP_ID))
  if (!base || !lacksSetup(base.verification ?? [], runs)) return runs
  await forgetSharedSetup(workspace)
  await appendEvents(context, session.id, [logSetupNotShared(stepId, 'a check could not start with a copy')])
  return await runWith(undefined)
}

/** Hides what setup and checks made on the untouched base: a fixer that runs them, too, must not commit it. */
export async function ignoreByProducts(
  { context, session, workspace }: VerifyContext,
  key: string,
  paths: readonly string[],
): Promise<void> {
  const files = session.issues.map(({ file }) => file)
  const hidden = ignorePaths(workspace, paths, files)
  if (hidden.length > 0) await appendEvents(context, session.id, [logByProductsIgnored(key, hidden)])
}
