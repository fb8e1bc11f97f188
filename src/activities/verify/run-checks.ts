// Runs the operator's setup and commands on a tree, in the session's work tree or a fresh checkout, without a verdict.

import { ApplicationFailure } from '@temporalio/common'
import type { GateInput } from '../../domain/protocol/index.ts'
import {
  logByProductsIgnored,
  logCheckEnded,
  logCheckoutLeft,
} from '../../domain/session/events/logs/verification-logs.ts'
import { BASELINE_STEP_ID, formatStepPart } from '../../domain/session/step-id.ts'
import type { CachedBaseline, VerificationRun } from '../../domain/verification/gate-record.ts'
import { type Leftover, listDirectory, removePath } from '../../platform/git/files.ts'
import { writeTrackedFiles } from '../../platform/git/workspace/fill-tree.ts'
import { withFreshCheckout } from '../../platform/git/workspace/fresh-checkout.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import {
  ignorePaths,
  listIgnored,
  listModified,
  listUntracked,
  resetWorkTree,
} from '../../platform/git/workspace/snapshot-and-reset.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext, Session } from '../context.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { baselineName, compareWithBaseline } from './baseline.ts'
import { cacheBaseline, loadCachedByProducts } from './baseline-cache.ts'
import { runCommand } from './run-command.ts'
import { describeSetupFailure, runSetup, type SetupLocation, setupRecordFile } from './run-setup.ts'

export interface ChecksInput {
  readonly input: GateInput
  readonly tree: string
  /** The tree has no fix: all commands run, because one without a result here has no baseline. */
  readonly isBaseline?: boolean | undefined
  /** The untouched base's results from another session; then only the setup runs. */
  readonly cachedBaseline?: CachedBaseline | undefined
}

export interface ChecksResult extends Pick<CachedBaseline, 'leftNothing'> {
  readonly verification: readonly VerificationRun[]
}

export async function runChecks(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { input, tree, isBaseline, cachedBaseline }: ChecksInput,
  heartbeat: Heartbeat,
): Promise<ChecksResult> {
  const { stepId, head } = input
  const { signal } = heartbeat
  const on = (where: CheckLocation) =>
    runCommandsIn(context, session, workspace, { input, isBaseline, cachedBaseline, ...where }, heartbeat)
  if (input.inFreshCheckout) {
    const onLeft = (left: Leftover) => appendEvents(context, session.id, [logCheckoutLeft(left)])
    const request = { tree, head, name: stepId, onLeftover: onLeft, signal }
    const verification = await withFreshCheckout(workspace, request, ({ folder, reset, listModified: changed }) =>
      on({ place: { folder, tree, retries: 1 }, reset, listRewrittenFiles: changed, restoreTrackedFiles: reset }),
    )
    return { verification }
  }
  const reset = () => resetWorkTree(workspace, tree, { head, signal })
  await reset()
  const aside = (key: string, paths: readonly string[]) => ignoreByProducts(context, session, workspace, key, paths)
  const secure = async () => aside(`${stepId}/setup`, await listUntracked(workspace))
  const changed = () => listModified(workspace, { signal })
  const putBack = () => writeTrackedFiles(workspace, tree, { signal })
  const place: SetupLocation = {
    folder: workspace.tree,
    tree,
    recordFile: setupRecordFile(workspace),
    afterSetup: secure,
  }
  const verification = await on({ place, reset, listRewrittenFiles: changed, restoreTrackedFiles: putBack })
  if (stepId !== BASELINE_STEP_ID) return { verification }
  const { byProducts, ...left } = cachedBaseline ?? (await findByProducts(context, session, workspace, head))
  const checks: ChecksResult = { verification, ...(left.leftNothing ? { leftNothing: true } : {}) }
  // The cache comes before they are hidden: after that nobody could find them.
  if (!cachedBaseline) await cacheBaseline(context, session, head, { ...checks, byProducts })
  await aside(BASELINE_STEP_ID, byProducts)
  return checks
}

async function findByProducts(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  head: string,
): Promise<Pick<CachedBaseline, 'byProducts' | 'leftNothing'>> {
  const [found, ignored] = await Promise.all([listUntracked(workspace), listIgnored(workspace)])
  // An earlier worker that died after hiding the by-products has cached them.
  const byProducts = [...new Set([...found, ...(await loadCachedByProducts(context, session, head))])]
  return { byProducts, ...(byProducts.length + ignored.length === 0 ? { leftNothing: true } : {}) }
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
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  {
    input,
    isBaseline,
    cachedBaseline,
    place,
    reset,
    listRewrittenFiles,
    restoreTrackedFiles,
  }: CheckLocation & Omit<ChecksInput, 'tree'>,
  heartbeat: Heartbeat,
): Promise<readonly VerificationRun[]> {
  const { stepId } = input
  const failed = await makeReady()
  if (failed) return [failed]
  if (cachedBaseline) return cachedBaseline.verification

  const { commands, setup, timeout_seconds: timeoutSeconds, fail_fast, reports } = session.settings.verification
  const compare = await compareWithBaseline(context, session, baselineName(session, input.head))
  const runs: VerificationRun[] = []
  let isRenewed = false
  for (const [index, command] of commands.entries()) {
    heartbeat.reportProgress(`verifying: ${await context.masking.maskText(command)}`)
    const cwd = place.folder
    const name = formatStepPart(stepId, { kind: 'command', n: index + 1 })
    const asked = { command, name, cwd, knownAs: workspace.tree, timeoutSeconds, reports }
    const ended = await runCommand(context, session, asked, heartbeat)
    const isGone = isFolderEmptied(place.folder)
    const rewritten = isGone ? [] : await listRewrittenFiles()
    const run: VerificationRun = {
      ...ended,
      ...(isGone ? { outcome: 'failed: it removed the work tree' } : {}),
      ...(rewritten.length > 0 ? { changedFiles: rewritten.slice(0, MAX_NAMED) } : {}),
    }
    runs.push(run)
    await appendRunEvent(run, index)
    if (compare(run).countsAgainstFix && fail_fast && !isBaseline) break
    // The next command has to see the tree to be committed, and not this command's changes.
    const isPutBack = rewritten.length === 0 || (await restoreTrackedFiles())
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

  /** Returns the setup command that failed. */
  async function makeReady(ready = place): Promise<VerificationRun | undefined> {
    const set = await runSetup(context, session, workspace, { stepId, place: ready }, heartbeat)
    if (set.kind === 'failed' && isBaseline) {
      const where = stepId === BASELINE_STEP_ID ? 'the untouched base' : input.head.slice(0, 10)
      throw ApplicationFailure.nonRetryable(await context.masking.maskText(describeSetupFailure(set.run, where)))
    }
    if (set.kind === 'failed') return { ...set.run, setup: true }
    // The tree is checked as it is, without a setup's changes to its files.
    if (set.kind === 'done') await reset()
    return undefined
  }

  /** Reports each of several commands at once: the verdict on all may be many minutes away. */
  async function appendRunEvent({ command, outcome }: VerificationRun, index: number): Promise<void> {
    if (commands.length < 2) return
    const inFreshCheckout = input.inFreshCheckout === true
    const place = { number: index + 1, checks: commands.length }
    await appendEvents(context, session.id, [logCheckEnded({ stepId, inFreshCheckout, command, outcome, ...place })])
  }

  /** Each command gets a result: one without a result on the base would have no baseline. */
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

/** Hides what the checks made on the untouched base: a fixer that runs them, too, must not commit it. */
async function ignoreByProducts(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  key: string,
  paths: readonly string[],
): Promise<void> {
  const files = session.issues.map(({ file }) => file)
  const hidden = ignorePaths(workspace, paths, files)
  if (hidden.length > 0) await appendEvents(context, session.id, [logByProductsIgnored(key, hidden)])
}
