// Runs the operator's setup and commands on a tree, in the session's work tree or a fresh checkout, without a verdict. A fresh checkout
// takes a copy of what the setup made on the base, where it may.
import { logChecksRan, logSetupNotShared } from '../../domain/session/events/logs/sharing-logs.ts'
import {
  logByProductsIgnored,
  logCheckEnded,
  logCheckoutLeft,
} from '../../domain/session/events/logs/verification-logs.ts'
import { BASELINE_STEP_ID, formatStepPart } from '../../domain/session/step-id.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { listDirectory, removePath, type UnremovedPath } from '../../platform/git/unruly-files.ts'
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
import { runCommand, type VerifyContext } from './run-command.ts'
import { runSetup, type SetupLocation, setupRecordFile } from './run-setup.ts'
import { findSharedSetup, forgetSharedSetup, keepSetup, lacksSetup } from './share-setup.ts'

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
  const onUnremoved = (left: UnremovedPath) => appendEvents(context, session.id, [logCheckoutLeft(left)])
  const runWith = (shared: PreparedFiles | undefined) => {
    const request = { tree, head, name: stepId, inPlace: shared !== undefined, onUnremoved }
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
  await appendEvents(context, session.id, [
    logSetupNotShared(stepId, { reason: 'a check could not start with a copy' }),
  ])
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

interface ChecksInput {
  readonly stepId: string
  /** The commit that HEAD names. */
  readonly head: string
  readonly tree: string
  readonly inFreshCheckout?: boolean | undefined
  /** Default: those of the settings. */
  readonly commands?: readonly string[] | undefined
  /** Whether no further command runs after this result. Without it all run: one without a result has no baseline. */
  readonly stopsAfter?: ((run: VerificationRun) => boolean) | undefined
}

interface CheckLocation {
  readonly place: SetupLocation
  /** Puts the place back to its start, except for ignored files. */
  readonly reset: () => Promise<unknown>
  /** Lists the tracked files that differ from the tree. */
  readonly listRewrittenFiles: () => Promise<readonly string[]>
  /** Restores tracked files and keeps new ones, which other commands may need. Returns whether it could. */
  readonly restoreTrackedFiles: () => Promise<boolean>
}

async function runCommandsIn(
  at: VerifyContext,
  { stepId, inFreshCheckout, commands: only, stopsAfter, place, reset, ...files }: CheckLocation & ChecksInput,
): Promise<readonly VerificationRun[]> {
  const { context, session, heartbeat } = at
  const { setup, timeout_seconds: timeoutSeconds, reports } = session.settings.verification
  const commands = only ?? session.settings.verification.commands
  let setupSeconds = 0
  let isShared = false
  const failed = await makeReady()
  if (failed) return [failed]
  const [started, setUp] = [performance.now(), setupSeconds]
  const runs = await runEach()
  const ran = {
    call: stepId,
    in_fresh_checkout: inFreshCheckout === true,
    ...(isShared ? { shared: true as const } : {}),
    setup_seconds: setupSeconds,
    check_seconds: (performance.now() - started) / 1000 - (setupSeconds - setUp),
  }
  await appendEvents(context, session.id, [logChecksRan(ran)])
  return runs

  async function runEach(): Promise<VerificationRun[]> {
    const runs: VerificationRun[] = []
    let isRenewed = false
    for (const [index, command] of commands.entries()) {
      heartbeat.reportProgress(`verifying: ${await context.masking.maskText(command)}`)
      const cwd = place.folder
      const name = formatStepPart(stepId, { kind: 'command', n: index + 1 })
      const ended = await runCommand(at, { command, name, cwd, timeoutSeconds, reports })
      const isGone = isFolderEmptied(place.folder)
      const rewritten = isGone ? [] : await files.listRewrittenFiles()
      const run: VerificationRun = {
        ...ended,
        ...(isGone ? { outcome: 'failed: it removed the work tree' } : {}),
        ...(rewritten.length > 0 ? { changedFiles: rewritten.slice(0, MAX_NAMED) } : {}),
      }
      runs.push(run)
      await appendRunEvent(run, index)
      if (stopsAfter?.(run)) break
      // The next command has to see the tree to be committed, and not this command's changes.
      const isPutBack = rewritten.length === 0 || (await files.restoreTrackedFiles())
      if (!isGone && isPutBack) continue
      // The remaining commands still get a tree to check, once: a setup after each of them would exceed the time limit.
      if (isRenewed && setup.length > 0) return [...runs, ...(await notRun(commands.slice(index + 1)))]
      isRenewed = true
      if (place.recordFile !== undefined) await removePath(place.recordFile)
      await reset()
      const again = await makeReady({ ...place, retries: 0 })
      if (again) return [...runs, again]
    }
    return runs
  }

  /** Returns the setup command that failed. */
  async function makeReady(ready = place): Promise<VerificationRun | undefined> {
    const set = await runSetup(at, { stepId, place: ready })
    if (set.kind === 'failed') return { ...set.run, setup: true }
    if (set.kind === 'nothing') return undefined
    setupSeconds += set.seconds
    isShared = set.isShared ?? false
    if (ready.recordFile !== undefined) await keepSetup(at, { stepId, tree: ready.tree, setupSeconds: set.seconds })
    // The tree is checked as it is, without a setup's changes to its files.
    await reset()
    return undefined
  }

  /** Reports each of several commands at once: the verdict on all may be many minutes away. */
  async function appendRunEvent({ command, outcome }: VerificationRun, index: number): Promise<void> {
    if (commands.length < 2) return
    const facts = { call: stepId, command, outcome, number: index + 1, checks: commands.length }
    await appendEvents(context, session.id, [logCheckEnded(inFreshCheckout === true, facts)])
  }

  async function notRun(left: readonly string[]): Promise<VerificationRun[]> {
    const outcome = 'failed: not run, as commands before it removed the work tree twice'
    return await Promise.all(
      left.map(async (command) => ({ command: await context.masking.maskText(command), outcome })),
    )
  }
}

/** The most rewritten files that a run names. */
const MAX_NAMED = 20

/** A folder that can't be read is of no more use. */
function isFolderEmptied(folder: string): boolean {
  try {
    return listDirectory(folder).every((name) => name === '.git')
  } catch {
    return true
  }
}
