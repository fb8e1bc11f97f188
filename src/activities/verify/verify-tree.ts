// Gate 2: runs the operator's commands on a tree and compares them with the tree's baseline. A failure that the
// baseline has, too, is nobody's fault, unless `strict` demands that everything passes.

import type { GateInput, VerifyOutcome } from '../../domain/protocol/index.ts'
import { logBaselineKnown } from '../../domain/session/events/logs/baseline-logs.ts'
import { fixVerificationResult, fixVerificationStarted } from '../../domain/session/events/verification-events.ts'
import { summarizeRuns, toComparedRun } from '../../domain/session/events/verification-runs.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import { BASELINE_STEP_ID, isSelectionName, parseStepId } from '../../domain/session/step-id.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import { deriveVerdict, type VerificationVerdict } from '../../domain/verification/compare-runs.ts'
import type { CachedBaseline, GateRecord, VerificationRun } from '../../domain/verification/gate-record.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, loadSession, loadWorkspace, type Session } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { loadGateRecord, storeGateRecord } from '../gate-records.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { assertSetupFailureIsOurs } from './attribute-setup-failure.ts'
import { compareWithBaseline, type RunComparison } from './baseline.ts'
import { findCachedBaseline } from './baseline-cache.ts'
import { ensureBaseline, rerunDoubtfulBaseline } from './baseline-rerun.ts'
import { baselineWarningEvents } from './baseline-warnings.ts'
import { runChecks } from './run-checks.ts'

export async function verifyBaseline(
  context: ActivityContext,
  { sessionId, stepId, head }: { sessionId: string; stepId: string; head: string },
  heartbeat: Heartbeat,
): Promise<VerifyOutcome> {
  return await runVerification(context, { sessionId, stepId, head, selections: [], codes: [], iteration: 0 }, heartbeat)
}

export async function verifyTree(
  context: ActivityContext,
  input: GateInput,
  heartbeat: Heartbeat,
): Promise<VerifyOutcome> {
  return await runVerification(context, input, heartbeat)
}

/** The session's tree is quicker, but with `fresh_checkout` only a fresh checkout passes or fails a tree for good. */
async function runVerification(
  context: ActivityContext,
  input: GateInput,
  heartbeat: Heartbeat,
): Promise<VerifyOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id)
  const isBase = input.stepId === BASELINE_STEP_ID
  const { tree } = await composeTree(workspace, input.head, input.selections)
  const baseline = isBase ? BASELINE_STEP_ID : await ensureBaseline(context, session, workspace, input.head, heartbeat)
  const check = async (inFreshCheckout = input.inFreshCheckout): Promise<GateVerdict> => {
    const asked = { ...input, inFreshCheckout }
    return await decideVerdict(
      context,
      session,
      await checkTree(context, session, workspace, { asked, tree, baseline: baseline }, heartbeat),
    )
  }
  const done = await loadGateRecord(context, session, input.stepId)
  let found = done?.tree === tree && done.verification ? await decideVerdict(context, session, done) : await check()
  if (isBase) return await reportVerdict(context, session, input, found)

  // Leftovers of an agent or of the commands in the session's tree may be all that is wrong.
  const { fresh_checkout } = session.settings.verification
  if (found.verdict === 'failed' && fresh_checkout && !found.record.inFreshCheckout) found = await check(true)
  if (found.verdict === 'failed') {
    const commands = found.comparisons.flatMap(({ command, countsAgainstFix }) => (countsAgainstFix ? [command] : []))
    const { head } = input
    const isNew = await rerunDoubtfulBaseline(context, session, workspace, { head, commands }, heartbeat)
    if (isNew) found = await decideVerdict(context, session, found.record)
  }
  // A failure that the rerun baseline excuses has kept later commands from running, now or before a worker died.
  if (found.verdict !== 'failed' && isCutShort(session, found.record)) found = await check(found.record.inFreshCheckout)
  return await reportVerdict(context, session, input, found)
}

function isCutShort({ settings }: Session, { verification = [] }: GateRecord): boolean {
  return settings.verification.fail_fast && verification.length < settings.verification.commands.length
}

interface TreeCheckInput {
  readonly asked: GateInput
  readonly tree: string
  readonly baseline: string
}

async function checkTree(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { asked, tree, baseline }: TreeCheckInput,
  heartbeat: Heartbeat,
): Promise<GateRecord> {
  const input: GateInput = (await canSkipWorkTree(context, session, asked))
    ? { ...asked, inFreshCheckout: true }
    : asked
  const { commands } = session.settings.verification
  const isBase = input.stepId === BASELINE_STEP_ID
  const place = verificationPlace(input, input.inFreshCheckout)
  await appendEvents(context, session.id, [fixVerificationStarted({ commands, tree, ...place })])
  const known = isBase ? await findCachedBaseline(context, session, input.head) : undefined
  if (known)
    await appendEvents(context, session.id, [logBaselineKnown(BASELINE_STEP_ID, { from: known.session, at: known.at })])
  const checks = await runChecks(
    context,
    session,
    workspace,
    { input, tree, isBaseline: isBase, cachedBaseline: known },
    heartbeat,
  )
  if (checks.verification.at(-1)?.setup) await assertSetupFailureIsOurs(context, session, workspace, input, heartbeat)
  const record: GateRecord = {
    tree,
    ...checks,
    ...(baseline === BASELINE_STEP_ID ? {} : { baseline }),
    ...(input.inFreshCheckout ? { inFreshCheckout: true } : {}),
    ...(isBase ? { source: describeSource(known) } : {}),
  }
  await storeGateRecord(context, session, input.stepId, record)
  return record
}

function describeSource(known: CachedBaseline | undefined): NonNullable<GateRecord['source']> {
  return known ? { state: 'cached', session: known.session, at: known.at } : { state: 'measured' }
}

/** With no setup and no by-products a fresh checkout is as quick as the session's tree. */
async function canSkipWorkTree(context: ActivityContext, session: Session, { stepId }: GateInput): Promise<boolean> {
  const { fresh_checkout, setup } = session.settings.verification
  if (stepId === BASELINE_STEP_ID || !fresh_checkout || setup.length > 0) return false
  return (await loadGateRecord(context, session, BASELINE_STEP_ID))?.leftNothing === true
}

/** In a trial of a selection the event names the issues that are in it. */
function verificationPlace({ stepId, codes, iteration }: GateInput, inFreshCheckout = false) {
  const step = parseStepId(stepId)
  const only = step?.kind === 'verify' && isSelectionName(step.tree) ? codes : undefined
  return { stepId, iteration, onBase: stepId === BASELINE_STEP_ID, inFreshCheckout, only }
}

async function reportVerdict(
  context: ActivityContext,
  session: Session,
  input: GateInput,
  { record, comparisons, ...found }: GateVerdict,
): Promise<VerifyOutcome> {
  const runs = record.verification ?? []
  const verdict = input.stepId === BASELINE_STEP_ID ? decideBaseVerdict(runs) : found.verdict
  const compared = comparisons.map((comparison, index) => toComparedRun(comparison, runs[index]))
  const place = verificationPlace(input, record.inFreshCheckout)
  await appendEvents(context, session.id, [
    fixVerificationResult({ verdict, runs: compared, ...place }),
    ...(place.onBase ? baselineWarningEvents(session, runs) : []),
  ])
  const summary = summarizeRuns(compared, place.onBase)
  const failureKey = hashJson([record.tree, summary]).slice(0, 12)
  const where = record.inFreshCheckout ? ({ inFreshCheckout: true } as const) : {}
  return { verdict, tree: record.tree, summary: truncateText(summary, 500), failureKey, ...where }
}

interface GateVerdict {
  readonly record: GateRecord
  readonly comparisons: readonly RunComparison[]
  readonly verdict: VerificationVerdict
}

/** Compares with the baseline as it is known now, test by test if a command's tests can be read. */
async function decideVerdict(context: ActivityContext, session: Session, record: GateRecord): Promise<GateVerdict> {
  const { verification = [], baseline } = record
  const comparisons = verification.map(await compareWithBaseline(context, session, baseline))
  return { record, comparisons: comparisons, verdict: deriveVerdict(comparisons, isStrict(session.settings)) }
}

function decideBaseVerdict(runs: readonly VerificationRun[]): VerificationVerdict {
  return runs.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'unverified'
}
