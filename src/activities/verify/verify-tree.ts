// Gate 2: the operator's own commands, run in the session's tree one after the other. They are judged beside what the tree stands on:
// what failed there before is nobody's fault, unless `strict` demands that everything passes.
// Where a command's tests can be read, they are compared one by one; what was red before proves something only by them.
// The session's tree has what was made in it before, which is quick; but only a fresh checkout can fail a tree, or let it be committed.
// Where nothing is made before the commands work, and they leave nothing behind, each tree is in one at once.

import type { GateInput, VerifyOutcome } from '../../domain/protocol/index.ts'
import { type NewEvent, NOTE_LEVEL } from '../../domain/session/events.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import { joinList } from '../../domain/text/join-list.ts'
import {
  deriveVerdict,
  describeUnseenTests,
  type VerificationRun,
  type VerificationVerdict,
} from '../../domain/verification/compare-runs.ts'
import type { TestComparison } from '../../domain/verification/compare-tests.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, loadSession, loadWorkspace, type Session } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { type GateRecord, loadGateRecord, storeGateRecord } from '../gate-records.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { assertSetupFailureIsOurs } from './attribute-setup-failure.ts'
import { BASE_STEP_ID, compareWithBaseline, type RunComparison } from './baseline.ts'
import { type CachedBaseline, findCachedBaseline } from './baseline-cache.ts'
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

async function runVerification(
  context: ActivityContext,
  input: GateInput,
  heartbeat: Heartbeat,
): Promise<VerifyOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id)
  const isBase = input.stepId === BASE_STEP_ID
  const { tree } = await composeTree(workspace, input.head, input.selections)
  const ground = isBase ? BASE_STEP_ID : await ensureBaseline(context, session, workspace, input.head, heartbeat)
  const check = async (inFreshCheckout = input.inFreshCheckout): Promise<GateVerdict> => {
    const asked = { ...input, inFreshCheckout }
    return await decideVerdict(
      context,
      session,
      await checkTree(context, session, workspace, { asked, tree, baseline: ground }, heartbeat),
    )
  }
  const done = await loadGateRecord(context, session, input.stepId)
  let found = done?.tree === tree && done.verification ? await decideVerdict(context, session, done) : await check()
  if (isBase) return await reportVerdict(context, session, input, found)

  // What was made in the session's tree before, by an agent or by the very same commands, may be all that is wrong.
  const { fresh_checkout } = session.settings.verification
  if (found.verdict === 'failed' && fresh_checkout && !found.record.inFreshCheckout) found = await check(true)
  if (found.verdict === 'failed') {
    const commands = found.comparisons.flatMap(({ command, countsAgainstFix }) => (countsAgainstFix ? [command] : []))
    const { head } = input
    const isNew = await rerunDoubtfulBaseline(context, session, workspace, { head, commands }, heartbeat)
    if (isNew) found = await decideVerdict(context, session, found.record)
  }
  // What fails there, too, kept the commands after it from being run: just now, or before a worker died.
  if (found.verdict !== 'failed' && isCutShort(session, found.record)) found = await check(found.record.inFreshCheckout)
  return await reportVerdict(context, session, input, found)
}

function isCutShort({ settings }: Session, { verification = [] }: GateRecord): boolean {
  return settings.verification.fail_fast && verification.length < settings.verification.commands.length
}

interface TreeCheckInput {
  readonly asked: GateInput
  readonly tree: string
  /** What it is weighed beside. */
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
  const isBase = input.stepId === BASE_STEP_ID
  await appendEvents(context, session.id, [
    {
      key: `${input.stepId}/${input.inFreshCheckout ? 'fresh' : 'started'}`,
      type: 'fix_verification_started',
      message: `${describeWhere(input, input.inFreshCheckout)}${commands.join(' · ')}`,
      data: { commands, tree, iteration: input.iteration, ...(input.inFreshCheckout ? { fresh: true } : {}) },
    },
  ])
  const known = isBase ? await findCachedBaseline(context, session, input.head) : undefined
  if (known) await appendEvents(context, session.id, [cachedBaselineEvent(known)])
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
    ...(baseline === BASE_STEP_ID ? {} : { baseline }),
    ...(input.inFreshCheckout ? { inFreshCheckout: true } : {}),
    ...(known ? { recalled: { session: known.session, at: known.at } } : {}),
  }
  await storeGateRecord(context, session, input.stepId, record)
  return record
}

async function canSkipWorkTree(context: ActivityContext, session: Session, { stepId }: GateInput): Promise<boolean> {
  const { fresh_checkout, setup } = session.settings.verification
  if (stepId === BASE_STEP_ID || !fresh_checkout || setup.length > 0) return false
  return (await loadGateRecord(context, session, BASE_STEP_ID))?.leftNothing === true
}

function cachedBaselineEvent({ session: from, at }: CachedBaseline): NewEvent {
  const minutes = Math.round((Date.now() - at) / 60_000)
  const message = `all of it passed there for session ${from}, ${minutes} min ago: not run again`
  return {
    key: `${BASE_STEP_ID}/known`,
    type: 'fix_log',
    message,
    data: { ...NOTE_LEVEL, from, at: new Date(at).toISOString() },
  }
}

/** Where parts are tried out, one after the other, the issues that are in one stand with it. */
function describeWhere({ stepId, codes }: GateInput, fresh?: boolean): string {
  if (stepId === BASE_STEP_ID) return 'on the untouched base: '
  if (/\bsettle\d+/.test(stepId)) return `only ${joinList(codes)}${fresh ? ', in a fresh checkout' : ''}: `
  return fresh ? 'in a fresh checkout: ' : ''
}

async function reportVerdict(
  context: ActivityContext,
  session: Session,
  input: GateInput,
  { record, comparisons, ...found }: GateVerdict,
): Promise<VerifyOutcome> {
  const runs = record.verification ?? []
  const verdict = input.stepId === BASE_STEP_ID ? decideBaseVerdict(runs) : found.verdict
  const against = comparisons.filter(({ countsAgainstFix }) => countsAgainstFix)
  const red = comparisons.filter(({ after }) => after !== 'passed')
  const worthSaying = [against, red, comparisons].find((some) => some.length > 0) ?? []
  const inWords = input.stepId === BASE_STEP_ID ? describeBaseRun : describeComparison
  const where = record.inFreshCheckout ? ({ inFreshCheckout: true } as const) : {}
  const summary = worthSaying.map(inWords).join('; ')
  await appendEvents(context, session.id, [
    {
      key: `${input.stepId}/result`,
      type: 'fix_verification_result',
      message: `${describeWhere(input, record.inFreshCheckout)}${input.stepId === BASE_STEP_ID ? describePassedCount(runs) : verdict}${summary ? ` · ${summary}` : ''}${describeBrokenTests(comparisons)}${describeRewrittenFiles(runs)}`,
      data: {
        verdict,
        ...(record.inFreshCheckout ? { fresh: true } : {}),
        iteration: input.iteration,
        runs: comparisons.map(({ command, after, tests, unseenTests }, index) => ({
          command,
          outcome: after,
          ...(runs[index]?.omittedBytes ? { cut: runs[index].omittedBytes } : {}),
          ...(runs[index]?.changedFiles ? { rewrote: runs[index].changedFiles } : {}),
          ...(tests ? toTestEventData(tests) : {}),
          ...(unseenTests ? { unseen: unseenTests } : {}),
        })),
      },
    },
    ...(input.stepId === BASE_STEP_ID ? baselineWarningEvents(session, runs) : []),
  ])
  const words = hashJson([record.tree, summary]).slice(0, 12)
  return { verdict, tree: record.tree, summary: summary.slice(0, 500), failureKey: words, ...where }
}

interface GateVerdict {
  readonly record: GateRecord
  readonly comparisons: readonly RunComparison[]
  readonly verdict: VerificationVerdict
}

/** Beside its ground as it is known now. */
async function decideVerdict(context: ActivityContext, session: Session, record: GateRecord): Promise<GateVerdict> {
  const { verification = [], baseline } = record
  const judged = verification.map(await compareWithBaseline(context, session, baseline))
  return { record, comparisons: judged, verdict: deriveVerdict(judged, isStrict(session.settings)) }
}

function decideBaseVerdict(runs: readonly VerificationRun[]): VerificationVerdict {
  return runs.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'unverified'
}

/** A verdict it is for the gate alone: that something passed does not mean that all did. */
function describePassedCount(runs: readonly VerificationRun[]): string {
  const passed = runs.filter(({ outcome }) => outcome === 'passed').length
  if (passed === runs.length) return 'passed'
  return passed === 0 ? 'nothing passed' : `${passed} of ${runs.length} passed`
}

/** For the history, too: numbers, and no names. */
function describeComparison({ command, after, effect, tests, unseenTests }: RunComparison): string {
  if (unseenTests) return `${command}: ${after}, ${describeUnseenTests(unseenTests)}`
  const broken = tests ? tests.broken.length + (effect === 'broken' ? tests.gone.length : 0) : 0
  if (broken > 0) return `${command}: ${after}, ${broken} test(s) newly broken`
  if (effect === 'no_worse') return `${command}: ${after}, as before: no test newly broken`
  return effect === 'unproven' ? `${command}: ${after}, and failed before` : `${command}: ${after}`
}

/** There is no before. */
function describeBaseRun({ command, after }: RunComparison): string {
  return `${command}: ${after}`
}

const MAX_NAMES = 20

function describeBrokenTests(judged: readonly RunComparison[]): string {
  const broken = judged.flatMap(({ tests }) => tests?.broken ?? [])
  return broken.length > 0 ? ` · newly broken: ${joinList(broken)}` : ''
}

function describeRewrittenFiles(runs: readonly VerificationRun[]): string {
  return runs
    .flatMap(({ command, changedFiles }) =>
      changedFiles ? ` · changed by ${command}, and put back: ${joinList(changedFiles)}` : '',
    )
    .join('')
}

function toTestEventData({ fixed, broken, broken_before, gone, passing }: TestComparison): object {
  const lists = { fixed, broken, broken_before, gone }
  const counts = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.length]))
  const names = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.slice(0, MAX_NAMES)]))
  return { tests: { ...counts, passing }, test_names: names }
}
