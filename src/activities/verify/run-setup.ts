// Runs the setup that the operator's commands need (`npm ci`): once for a workspace, and again if lockfiles, manifests
// or its own products have changed.

import { join } from 'node:path'
import { ApplicationFailure } from '@temporalio/common'
import {
  logCheckoutLeft,
  logSetupDone,
  logSetupFailed,
  logSetupStarted,
} from '../../domain/session/events/logs/verification-logs.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import { truncateMiddle, truncateText } from '../../domain/text/truncate.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { isSetupInput, SetupRecord } from '../../domain/verification/setup-inputs.ts'
import { cleanLine } from '../../domain/verification/summaries/clean-line.ts'
import { listTreeEntries } from '../../platform/git/repository/list-tree.ts'
import { getPathKind, readRegularFile, removePath, type UnremovedPath } from '../../platform/git/unruly-files.ts'
import { findLockedFolder } from '../../platform/git/workspace/fill-tree.ts'
import { withFreshCheckout } from '../../platform/git/workspace/fresh-checkout.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { type PreparedFiles, placePreparedFiles } from '../../platform/git/workspace/prepared-files.ts'
import { listIgnored, resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import { appendEvents } from '../append-events.ts'
import type { Session } from '../context.ts'
import { isBeforeAnyWritingAgent } from './command-sandbox.ts'
import { runCommand, type VerifyContext } from './run-command.ts'

export interface SetupLocation {
  readonly folder: string
  readonly tree: string
  /** Records the setup's inputs, once it is done; absent in a checkout that starts empty. */
  readonly recordFile?: string | undefined
  /** Secures the setup's products; the setup counts as done only after it. */
  readonly afterSetup?: (() => Promise<void>) | undefined
  /** How often a failed command is tried again: a command that worked for these files before may have bad luck. */
  readonly retries?: number | undefined
  /** Takes the place of the setup. */
  readonly shared?: PreparedFiles | undefined
}

export type SetupResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'done'; readonly seconds: number; readonly isShared?: true }
  | { readonly kind: 'failed'; readonly run: VerificationRun }

export function setupRecordFile({ directory }: Workspace): string {
  return join(directory, 'setup.json')
}

export async function runSetup(
  at: VerifyContext,
  { stepId, place }: { readonly stepId: string; readonly place: SetupLocation },
): Promise<SetupResult> {
  const { context, session, workspace, heartbeat } = at
  const { setup, setup_timeout_seconds: timeoutSeconds } = session.settings.verification
  if (setup.length === 0) return { kind: 'nothing' }
  const { folder, tree, recordFile, afterSetup, retries = 0, shared } = place
  const started = performance.now()
  const takenSeconds = () => (performance.now() - started) / 1000
  if (shared && (await placePreparedFiles(workspace, shared)))
    return { kind: 'done', seconds: takenSeconds(), isShared: true }
  const inputs = await readSetupInputs(session, workspace, tree)
  const before = recordFile === undefined ? undefined : readSetupRecord(recordFile)
  const changed = before ? listChangedInputs(before.inputs, inputs) : []
  const gone = (before?.ignoredPaths ?? []).filter((path) => getPathKind(join(folder, path)) === 'missing')
  if (before && changed.length + gone.length === 0) return { kind: 'nothing' }

  if (recordFile !== undefined) await removePath(recordFile)
  const again = before === undefined ? {} : { again: true as const }
  await appendEvents(context, session.id, [logSetupStarted({ call: stepId, setup, ...again, changed, gone })])
  const isUntouched = await isBeforeAnyWritingAgent(context, session)
  for (const [index, command] of setup.entries()) {
    heartbeat.reportProgress(`setting up: ${await context.masking.maskText(command)}`)
    const runAs = (name: string) => runCommand(at, { command, name, cwd: folder, timeoutSeconds, isUntouched })
    const setupId = formatStepPart(stepId, { kind: 'setup', n: index + 1 })
    let run = await runAs(setupId)
    for (let again = 1; again <= retries && run.outcome !== 'passed'; again += 1) {
      run = await runAs(formatStepPart(setupId, { kind: 'setup_retry', n: again }))
    }
    // A work tree that is made again would lack the setup's products, and each check would fail for that.
    if (run.outcome === 'passed')
      run = { ...run, outcome: await checkTreeAfterSetup({ ...workspace, tree: folder }, tree) }
    if (run.outcome !== 'passed') {
      await appendEvents(context, session.id, [logSetupFailed(stepId, { command, outcome: run.outcome })])
      return { kind: 'failed', run }
    }
  }
  await afterSetup?.()
  if (recordFile !== undefined) {
    const made = (await listIgnored(workspace)).slice(0, MAX_IGNORED_PATHS)
    writeFileAtomically(recordFile, JSON.stringify({ inputs, ignoredPaths: made } satisfies SetupRecord))
  }
  const seconds = takenSeconds()
  await appendEvents(context, session.id, [logSetupDone({ call: stepId, seconds })])
  return { kind: 'done', seconds }
}

async function checkTreeAfterSetup(at: Workspace, tree: string): Promise<string> {
  if (getPathKind(at.tree) !== 'directory') return 'failed: it removed the work tree'
  const locked = await findLockedFolder(at, tree)
  return locked === undefined
    ? 'passed'
    : `failed: it gave ${locked === '.' ? 'the work tree' : locked} to another user`
}

type SetupInputs = SetupRecord['inputs']

async function readSetupInputs({ settings }: Session, workspace: Workspace, tree: string): Promise<SetupInputs> {
  const entries = await listTreeEntries(workspace.gitDir, tree)
  const { protected: always, protected_unless_about: unlessAbout } = settings.scope
  const deciding = entries.filter(({ path }) => isSetupInput(path, [...always, ...unlessAbout]))
  return {
    'the commands': hashJson(settings.verification.setup),
    ...Object.fromEntries(deciding.map(({ path, sha }) => [path, sha])),
  }
}

const MAX_IGNORED_PATHS = 1_000

function readSetupRecord(file: string): SetupRecord | undefined {
  try {
    return SetupRecord.parse(JSON.parse(readRegularFile(file) ?? ''))
  } catch {
    return undefined
  }
}

/** Ignored files and folders that the setup made in the session's work tree. */
export function readSetupProducts(workspace: Workspace): readonly string[] {
  return readSetupRecord(setupRecordFile(workspace))?.ignoredPaths ?? []
}

function listChangedInputs(before: SetupInputs, after: SetupInputs): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...paths].filter((path) => before[path] !== after[path])
}

/**
 * Runs a failed setup again on the commit that the fix stands on. One that fails there, too, is no verdict (a registry or the network is
 * down), so the step is tried again later. Without fresh checkouts it may need files of the session's tree, so it is tried there as well.
 */
export async function assertSetupFailureIsOurs(
  at: VerifyContext,
  { stepId, head }: { readonly stepId: string; readonly head: string },
): Promise<void> {
  const { context, session, workspace } = at
  const setUpIn = (folder: string, setupId: string) => runSetup(at, { stepId: setupId, place: { folder, tree: head } })
  const name = formatStepPart(stepId, { kind: 'setup_without_fix' })
  const onLeft = (left: UnremovedPath) => appendEvents(context, session.id, [logCheckoutLeft(left)])
  const request = { tree: head, head, name, onUnremoved: onLeft }
  const set = await withFreshCheckout(workspace, request, ({ folder }) => setUpIn(folder, name))
  if (set.kind !== 'failed') return
  if (!session.settings.verification.fresh_checkout) {
    await resetWorkTree(workspace, head, { head })
    const there = formatStepPart(name, { kind: 'setup_in_work_tree' })
    if ((await setUpIn(workspace.tree, there)).kind !== 'failed') return
  }
  throw ApplicationFailure.retryable(
    await context.masking.maskText(describeSetupFailure(set.run, 'what the fix stands on, too')),
  )
}

/** Of each stream. */
const MAX_SHOWN_CHARACTERS = 240

/** One line for a session's end. A tool prints its reason on either stream: most at the end, npm at the beginning, so the middle is cut. */
export function describeSetupFailure(
  { command, outcome, output = '', errors = '' }: VerificationRun,
  where: string,
): string {
  const [onErrors, onOutput] = [errors, output].map(joinShownLines)
  const what = `setup "${truncateText(command, 60)}" ${outcome} on ${where}`
  if (!onErrors || !onOutput) return onErrors || onOutput ? `${what}: ${onErrors}${onOutput}` : what
  return `${what}: ${onErrors} · standard output: ${onOutput}`
}

function joinShownLines(stream: string): string {
  const lines = stream.split('\n').map((line) => cleanLine(line).trim())
  return truncateMiddle(lines.filter(Boolean).join(' / '), MAX_SHOWN_CHARACTERS + 3, ' … ')
}
