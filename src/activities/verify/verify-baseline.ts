// Runs the operator's commands on the untouched base, before any fixer is paid: to know what fails there already, what the commands
// leave behind, and whether a fix can pass at all.

import { ApplicationFailure } from '@temporalio/common'
import { explainStrictBase } from '../../domain/plan/strict-batches.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import {
  logBaselineKnown,
  logBaselineMute,
  logBaselineRed,
  logVariablesUnset,
} from '../../domain/session/events/logs/baseline-logs.ts'
import { logProgramMissing } from '../../domain/session/events/logs/verification-logs.ts'
import { fixVerificationStarted } from '../../domain/session/events/verification-events.ts'
import { BASELINE_STEP_ID } from '../../domain/session/step-id.ts'
import { acceptsUnproven } from '../../domain/settings/schema.ts'
import { type BrokenCheck, listBrokenChecks, refuseBrokenChecks } from '../../domain/verification/broken-checks.ts'
import { listReusableFiles } from '../../domain/verification/files-made-by-checks.ts'
import type { CachedBaseline, GateRecord, VerificationRun } from '../../domain/verification/gate-record.ts'
import { isMute } from '../../domain/verification/red-base.ts'
import type { GateInput, VerifyOutcome } from '../../domain/workflow-types/index.ts'
import { listIgnored, listUntracked } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { appendEvents } from '../append-events.ts'
import {
  type ActivityContext,
  claimedIssues,
  type Heartbeat,
  loadSession,
  loadWorkspace,
  type Session,
} from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { loadGateRecord, storeGateRecord } from '../gate-records.ts'
import { compareWithBaseline } from './baseline.ts'
import { cacheBaseline, findCachedBaseline, loadCachedByProducts } from './baseline-cache.ts'
import { ignoreByProducts, runChecks } from './run-checks.ts'
import type { VerifyContext } from './run-command.ts'
import { describeSetupFailure, readSetupProducts } from './run-setup.ts'
import { reportVerdict, verificationPlace } from './verify-tree.ts'

export async function verifyBaseline(
  context: ActivityContext,
  input: { readonly sessionId: string; readonly stepId: string; readonly head: string },
  heartbeat: Heartbeat,
): Promise<VerifyOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id)
  const at: VerifyContext = { context, session, workspace, heartbeat }
  const base: GateInput = { ...input, selections: [], codes: [], iteration: 0 }
  const { tree } = await composeTree(workspace, input.head, [])
  const done = await loadGateRecord(context, session, BASELINE_STEP_ID)
  const isDone = done?.tree === tree && done.verification !== undefined
  const record = isDone ? done : await measureBase(at, { base, tree })
  const runs = record.verification ?? []
  const comparisons = runs.map(compareWithBaseline(session, { runs }))
  const verdict = runs.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'unverified'
  const broken = listBrokenChecks(runs)
  const ignored = await Promise.all((session.settings.verification.ignore_broken ?? []).map(context.masking.maskText))
  const refusal = refuseBrokenChecks(broken, ignored)
  const warnings = refusal ? [] : [...missingProgramEvents(broken), ...redBaselineEvents(session, runs)]
  const outcome = await reportVerdict(context, session, base, { record, comparisons, verdict }, warnings)
  return refusal ? { ...outcome, refusal } : outcome
}

/** Runs setup and commands in the session's work tree; where another session has the results already, only the setup. */
async function measureBase(
  at: VerifyContext,
  { base, tree }: { readonly base: GateInput; readonly tree: string },
): Promise<GateRecord> {
  const { context, session } = at
  const { head } = base
  const { commands, environment } = session.settings.verification
  const events: NewEvent[] = [fixVerificationStarted({ commands, tree, ...verificationPlace(base) })]
  const cached = await findCachedBaseline(context, session, head)
  const unset = environment.filter((name) => context.environment[name] === undefined)
  if (unset.length > 0) events.push(logVariablesUnset(BASELINE_STEP_ID, { names: unset }))
  if (cached) events.push(logBaselineKnown(BASELINE_STEP_ID, { from: cached.session, at: cached.at }))
  await appendEvents(context, session.id, events)
  const asked = { stepId: BASELINE_STEP_ID, head, tree, ...(cached ? { commands: [] } : {}) }
  const runs = await runChecks(at, asked)
  const failed = runs.find(({ setup }) => setup)
  if (failed) {
    const problem = describeSetupFailure(failed, 'the untouched base')
    throw ApplicationFailure.nonRetryable(await context.masking.maskText(problem))
  }
  const { byProducts, leftNothing } = cached ?? (await findByProducts(at, head))
  const record: GateRecord = {
    tree,
    verification: cached?.verification ?? runs,
    ...(leftNothing ? { leftNothing } : {}),
    source: cached ? { state: 'cached', session: cached.session, at: cached.at } : { state: 'measured' },
  }
  // The cache comes before they are hidden: after that nobody could find them.
  if (!cached) await cacheBaseline(context, session, head, { verification: runs, byProducts, leftNothing })
  await ignoreByProducts(at, BASELINE_STEP_ID, byProducts)
  await storeGateRecord(context, session, BASELINE_STEP_ID, record)
  return record
}

async function findByProducts(
  { context, session, workspace }: VerifyContext,
  head: string,
): Promise<Pick<CachedBaseline, 'byProducts' | 'leftNothing'>> {
  const [found, ignored] = await Promise.all([listUntracked(workspace), listIgnored(workspace)])
  // An earlier worker that died after hiding the by-products has cached them.
  const byProducts = [...new Set([...found, ...(await loadCachedByProducts(context, session, head))])]
  const useful = listReusableFiles([...byProducts, ...ignored], readSetupProducts(workspace))
  return { byProducts, ...(useful.length === 0 ? { leftNothing: true } : {}) }
}

function missingProgramEvents(broken: readonly BrokenCheck[]): NewEvent[] {
  return broken.length === 0 ? [] : [logProgramMissing(BASELINE_STEP_ID, broken)]
}

function redBaselineEvents(session: Session, runs: readonly VerificationRun[]): NewEvent[] {
  const red = runs.filter(({ outcome }) => outcome !== 'passed')
  if (red.length === 0) return []
  const why = explainStrictBase(session.settings, claimedIssues(session))
  if (why !== undefined) return [logBaselineRed(BASELINE_STEP_ID, { commands: red.map(toCommand), why })]
  const mute = red.filter(isMute)
  if (mute.length === 0) return []
  const accepts = acceptsUnproven(session.settings)
  return [
    logBaselineMute(BASELINE_STEP_ID, { commands: mute.map(toCommand), alone: mute.length === runs.length, accepts }),
  ]
}

function toCommand({ command }: VerificationRun): string {
  return command
}
