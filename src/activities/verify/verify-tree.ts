// Gate 2: runs the operator's commands on a tree and compares them with the tree's baseline. A failure that the
// baseline has, too, is nobody's fault, unless `strict` demands that everything passes.

import type { NewEvent } from '../../domain/session/events/index.ts'
import { fixVerificationResult, fixVerificationStarted } from '../../domain/session/events/verification-events.ts'
import { summarizeRuns, toComparedRun } from '../../domain/session/events/verification-runs.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import { BASELINE_STEP_ID, isSelectionName, parseStepId } from '../../domain/session/step-id.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import { joinList } from '../../domain/text/join-list.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import { deriveVerdict, type VerificationVerdict } from '../../domain/verification/compare-runs.ts'
import { findSuspects } from '../../domain/verification/find-suspects.ts'
import type { GateRecord, VerificationRun } from '../../domain/verification/gate-record.ts'
import type { GateInput, VerifyOutcome } from '../../domain/workflow-types/index.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, type Heartbeat, loadSession, loadWorkspace, type Session } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { listGateRecordsOfStage, loadGateRecord, storeGateRecord } from '../gate-records.ts'
import {
  type Baseline,
  compareWithBaseline,
  ensureBaseline,
  type RunComparison,
  rerunDoubtfulBaseline,
} from './baseline.ts'
import { findChangedTests } from './changed-tests.ts'
import { runChecks } from './run-checks.ts'
import type { VerifyContext } from './run-command.ts'
import { assertSetupFailureIsOurs } from './run-setup.ts'
import { findSharedSetup } from './share-setup.ts'

/** The session's tree is quicker, but with `fresh_checkout` only a fresh checkout passes or fails a tree for good. */
export async function verifyTree(
  context: ActivityContext,
  input: GateInput,
  heartbeat: Heartbeat,
): Promise<VerifyOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id, input.lane)
  const at: VerifyContext = { context, session, workspace, heartbeat }
  const { head } = input
  const { tree, owners, lost, overlaps } = await composeTree(workspace, head, input.selections)
  if (lost.length > 0) {
    const summary = `${joinList(lost)}: other fixes change the same lines, so they can't be put together`
    return { verdict: 'failed', tree, summary, failureKey: hashJson([tree, summary]).slice(0, 12) }
  }
  if (input.cars && overlaps.length > 0) {
    const summary = `several of them change ${joinList(overlaps, ', ', MOST_NAMED_FILES)}`
    return { verdict: 'failed', tree, summary, failureKey: hashJson([tree, summary]).slice(0, 12) }
  }
  let baseline = await ensureBaseline(at, head)
  const check = async (inFreshCheckout = input.inFreshCheckout): Promise<GateVerdict> => {
    const asked = { ...input, inFreshCheckout }
    const record = await checkTree(at, { asked, tree, baseline })
    return decideVerdict(session, baseline, record)
  }
  const done = await loadGateRecord(context, session, input.stepId)
  let found = done?.tree === tree && done.verification ? decideVerdict(session, baseline, done) : await check()

  // A file that an agent or the commands left in the session's tree may be all that is wrong.
  const { fresh_checkout } = session.settings.verification
  if (found.verdict === 'failed' && fresh_checkout && !found.record.inFreshCheckout) found = await check(true)
  if (found.verdict === 'failed') {
    const blamed = found.comparisons.filter(({ countsAgainstFix }) => countsAgainstFix)
    baseline = await rerunDoubtfulBaseline(at, { head, baseline, blamed })
    found = decideVerdict(session, baseline, found.record)
  }
  // A failure that the rerun baseline excuses has kept later commands from running, now or before a worker died.
  if (found.verdict !== 'failed' && isCutShort(session, found.record)) found = await check(found.record.inFreshCheckout)
  const outcome = await reportVerdict(context, session, input, found)
  if (outcome.verdict !== 'failed') return outcome
  const suspects = findSuspects(listFailureTexts(found).join('\n'), owners)
  const failedBefore = found.comparisons.some(({ countsAgainstFix, effect }) => countsAgainstFix && effect !== 'broken')
  return {
    ...outcome,
    ...(suspects.length > 0 ? { suspects } : {}),
    ...(failedBefore ? { failedBefore } : {}),
    ...(failedBefore && brokeNothing(session, found) ? { brokeNothing: true as const } : {}),
  }
}

function brokeNothing(session: Session, { record, comparisons }: GateVerdict): boolean {
  return hasRunAll(session, record) && comparisons.every(({ effect }) => effect !== 'broken')
}

/** The output of the failed commands, and the tests that they broke. */
function listFailureTexts({ comparisons }: GateVerdict): string[] {
  const against = comparisons.filter(({ countsAgainstFix }) => countsAgainstFix)
  return against.flatMap(({ output, tests, summaries }) => [
    output,
    ...(tests?.broken ?? []),
    ...(tests?.gone ?? []),
    ...(summaries?.newlyFailing ?? []),
  ])
}

/** For the reason of an issue that is not committed: whoever reads it knows where to look. */
function describeFailingTests(comparisons: readonly RunComparison[]): string {
  const names = comparisons.flatMap(({ countsAgainstFix, tests, summaries }) =>
    countsAgainstFix ? (tests ? [...tests.broken, ...tests.gone] : (summaries?.newlyFailing ?? [])) : [],
  )
  return names.length > 0 ? ` (${joinList([...new Set(names)], ', ', MOST_NAMED_TESTS)})` : ''
}

const MOST_NAMED_TESTS = 3
const MOST_NAMED_FILES = 3

function isCutShort(session: Session, record: GateRecord): boolean {
  return session.settings.verification.fail_fast && !hasRunAll(session, record)
}

function hasRunAll({ settings }: Session, { verification = [] }: GateRecord): boolean {
  return verification.length >= settings.verification.commands.length
}

interface TreeCheckInput {
  readonly asked: GateInput
  readonly tree: string
  readonly baseline: Baseline
}

async function checkTree(at: VerifyContext, { asked, tree, baseline }: TreeCheckInput): Promise<GateRecord> {
  const { context, session } = at
  const { stepId, head } = asked
  const { commands, fail_fast } = session.settings.verification
  const inFreshCheckout = asked.inFreshCheckout || (await canSkipWorkTree(at, tree))
  const place = verificationPlace(asked, inFreshCheckout)
  await appendEvents(context, session.id, [fixVerificationStarted({ commands, tree, ...place })])
  const sameTests = await hasSameTests(at, { head, tree })
  const compare = compareWithBaseline(session, baseline, { sameTests })
  const stopsAfter = fail_fast ? (run: VerificationRun) => isDecided(asked, compare(run)) : undefined
  const known = inFreshCheckout ? await findFreshRuns(at, { stepId, tree, baseline }) : undefined
  const input = { stepId, head, tree, inFreshCheckout, stopsAfter }
  const verification = known ?? (await runChecks(at, input))
  if (verification.at(-1)?.setup) await assertSetupFailureIsOurs(at, asked)
  const record: GateRecord = {
    tree,
    verification,
    ...(baseline.stepId === BASELINE_STEP_ID ? {} : { baseline: baseline.stepId }),
    ...(inFreshCheckout ? { inFreshCheckout } : {}),
    ...(sameTests ? { sameTests } : {}),
  }
  await storeGateRecord(context, session, stepId, record)
  return record
}

/** What is red as it was on the base does not end a trial: the parts of a tree are searched for what they break. */
function isDecided({ stepId }: GateInput, { countsAgainstFix, effect }: RunComparison): boolean {
  return countsAgainstFix && (effect === 'broken' || !isTrial(stepId))
}

/** The runs of another step of this stage on the same tree, in a fresh checkout and beside the same baseline, with nothing left out. */
async function findFreshRuns(
  { context, session }: VerifyContext,
  { stepId, tree, baseline }: { readonly stepId: string; readonly tree: string; readonly baseline: Baseline },
): Promise<readonly VerificationRun[] | undefined> {
  const gates = await listGateRecordsOfStage(context, session, stepId)
  const isWhole = ({ verification }: GateRecord) =>
    verification?.length === session.settings.verification.commands.length && !verification.at(-1)?.setup
  const found = gates.findLast(
    ({ stepId: other, record }) =>
      other !== stepId &&
      record.tree === tree &&
      record.inFreshCheckout &&
      (record.baseline ?? BASELINE_STEP_ID) === baseline.stepId &&
      isWhole(record),
  )
  return found?.record.verification
}

/** Whether tests that are not run any more speak against the tree, unless whoever allows milder tests allows that, too. */
async function hasSameTests(
  at: VerifyContext,
  trees: { readonly head: string; readonly tree: string },
): Promise<boolean> {
  if (at.session.settings.verification.test_changes === 'allow') return false
  return (await findChangedTests(at, trees)).paths.length === 0
}

/** With no setup of its own, and nothing left of earlier runs that helps, a fresh checkout is as quick as the session's tree. */
async function canSkipWorkTree(at: VerifyContext, tree: string): Promise<boolean> {
  const { context, session } = at
  const { fresh_checkout, setup } = session.settings.verification
  if (!fresh_checkout || (setup.length > 0 && !(await findSharedSetup(at, tree)))) return false
  return (await loadGateRecord(context, session, BASELINE_STEP_ID))?.leftNothing === true
}

/** In a trial of a selection the event names the issues that are in it. */
export function verificationPlace({ stepId, codes, iteration, cars }: GateInput, inFreshCheckout = false) {
  const only = isTrial(stepId) ? codes : undefined
  return { stepId, iteration, onBase: stepId === BASELINE_STEP_ID, inFreshCheckout, only, cars: cars?.length }
}

function isTrial(stepId: string): boolean {
  const step = parseStepId(stepId)
  return step?.kind === 'verify' && isSelectionName(step.tree)
}

export interface GateVerdict {
  readonly record: GateRecord
  readonly comparisons: readonly RunComparison[]
  readonly verdict: VerificationVerdict
}

/** Compares with the baseline as it is known now. */
function decideVerdict(session: Session, baseline: Baseline, record: GateRecord): GateVerdict {
  const comparisons = (record.verification ?? []).map(compareWithBaseline(session, baseline, record))
  return { record, comparisons, verdict: deriveVerdict(comparisons, isStrict(session.settings)) }
}

export async function reportVerdict(
  context: ActivityContext,
  session: Session,
  input: GateInput,
  { record, comparisons, verdict }: GateVerdict,
  warnings: readonly NewEvent[] = [],
): Promise<VerifyOutcome> {
  const compared = comparisons.map((comparison, index) => toComparedRun(comparison, record.verification?.[index]))
  const place = verificationPlace(input, record.inFreshCheckout)
  const result = fixVerificationResult({ verdict, runs: compared, ...place })
  await appendEvents(context, session.id, [result, ...warnings])
  const summary = `${summarizeRuns(compared, place.onBase)}${describeFailingTests(comparisons)}`
  const failureKey = hashJson([record.tree, summary]).slice(0, 12)
  const where = record.inFreshCheckout ? ({ inFreshCheckout: true } as const) : {}
  return { verdict, tree: record.tree, summary: truncateText(summary, 500), failureKey, ...where }
}
