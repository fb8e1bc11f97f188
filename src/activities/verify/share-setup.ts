// Shares what the setup made on the untouched base with fresh checkouts of trees that need the same: copied before any agent that can
// write is called, used only if it depends on nothing that a fix changes, and given up as soon as a check can't start with it.
import { join } from 'node:path'
import { logSetupKept, logSetupNotShared } from '../../domain/session/events/logs/sharing-logs.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import { listBrokenChecks } from '../../domain/verification/broken-checks.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { findSetupDependence, isInstallerManifest, steersInstaller } from '../../domain/verification/pure-setup.ts'
import { isSetupInput, SharedSetup } from '../../domain/verification/setup-inputs.ts'
import { listTreeEntries } from '../../platform/git/repository/list-tree.ts'
import { readSmallBlobs } from '../../platform/git/repository/read-blobs.ts'
import { getPathKind, readRegularFile, removePath } from '../../platform/git/unruly-files.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import {
  dropPreparedFiles,
  keepPreparedFiles,
  type PreparedFiles,
} from '../../platform/git/workspace/prepared-files.ts'
import { listIgnored } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import { appendEvents } from '../append-events.ts'
import type { Session } from '../context.ts'
import { isBeforeAnyWritingAgent } from './command-sandbox.ts'
import type { VerifyContext } from './run-command.ts'

const MAX_MANIFEST_BYTES = 2_000_000

function recordFile({ directory, sharedFrom = directory }: Workspace): string {
  return join(sharedFrom, 'shared-setup.json')
}

/** Of a lane where the copy was of no use: what a setup made often names its own folder. */
function refusalFile({ directory }: Workspace): string {
  return join(directory, 'setup-not-shared')
}

/** Keeps what the setup has just made in the session's work tree, of this tree, unless it must not or need not be shared. */
export async function keepSetup(
  at: VerifyContext,
  { stepId, tree, setupSeconds }: { readonly stepId: string; readonly tree: string; readonly setupSeconds: number },
): Promise<void> {
  const { context, session, workspace } = at
  const { share_setup, fresh_checkout } = session.settings.verification
  if (share_setup === 'never' || !fresh_checkout || !(await isBeforeAnyWritingAgent(context, session))) return
  const refuse = (reason: string) => appendEvents(context, session.id, [logSetupNotShared(stepId, { reason })])
  await forgetSharedSetup(workspace)
  const dependence = await findDependence(at, tree)
  if (dependence !== undefined) return await refuse(await context.masking.maskText(dependence))
  const started = performance.now()
  const kept = await keepPreparedFiles(workspace, await listIgnored(workspace))
  const seconds = (performance.now() - started) / 1000
  if (seconds > setupSeconds) {
    await forgetSharedSetup(workspace)
    return await refuse(
      `to copy what it made takes ${seconds.toFixed(1)} s, and to run it ${setupSeconds.toFixed(1)} s`,
    )
  }
  const key = await hashSetupInputs(session, workspace, tree)
  writeFileAtomically(recordFile(workspace), JSON.stringify({ key, ...kept }))
  await appendEvents(context, session.id, [logSetupKept(stepId, { seconds })])
}

/** What can take the place of a setup of this tree. */
export async function findSharedSetup(
  { session, workspace }: Pick<VerifyContext, 'session' | 'workspace'>,
  tree: string,
): Promise<PreparedFiles | undefined> {
  const text = readRegularFile(recordFile(workspace))
  if (text === undefined || getPathKind(refusalFile(workspace)) !== 'missing') return undefined
  const { key, ...prepared } = SharedSetup.parse(JSON.parse(text))
  return (await hashSetupInputs(session, workspace, tree)) === key ? prepared : undefined
}

/** A lane only forgets that it may use it. */
export async function forgetSharedSetup(workspace: Workspace): Promise<void> {
  if (workspace.sharedFrom !== undefined) return writeFileAtomically(refusalFile(workspace), '')
  await removePath(recordFile(workspace))
  await dropPreparedFiles(workspace)
}

/** Whether a command that could start on the base can't any more: what was copied may not be all that it needs. */
export function lacksSetup(base: readonly VerificationRun[], runs: readonly VerificationRun[]): boolean {
  const before = new Set(listBrokenChecks(base).map(({ command }) => command))
  return listBrokenChecks(runs).some(({ command }) => !before.has(command))
}

async function findDependence({ session, workspace }: VerifyContext, tree: string): Promise<string | undefined> {
  const manifests = (await listTreeEntries(workspace.gitDir, tree)).filter(({ path }) => isInstallerManifest(path))
  const texts = await readSmallBlobs(
    workspace.gitDir,
    manifests.map(({ sha }) => sha),
    MAX_MANIFEST_BYTES,
  )
  const byPath = new Map(manifests.map(({ path }, index) => [path, String(texts[index] ?? '')]))
  return findSetupDependence(session.settings.verification.setup, byPath)
}

async function hashSetupInputs({ settings }: Session, workspace: Workspace, tree: string): Promise<string> {
  const { protected: always, protected_unless_about: unlessAbout } = settings.scope
  const globs = [...always, ...unlessAbout]
  const entries = await listTreeEntries(workspace.gitDir, tree)
  const deciding = entries.filter(({ path }) => isSetupInput(path, globs) || steersInstaller(path))
  return hashJson([settings.verification.setup, deciding.map(({ path, sha, mode }) => [path, sha, mode])])
}
