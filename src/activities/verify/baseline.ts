// The baseline of a fix: the commands' results on the commit that it stands on, which is the untouched base for the first stage, then the
// commit of the stage before. A check that passed there must not fail; one that failed there is nobody's fault.

import {
  logBaselineDoubted,
  logBaselineRerun,
  logBaselineRerunImpossible,
  logBaselineUnknown,
} from '../../domain/session/events/logs/baseline-logs.ts'
import { BASELINE_STEP_ID, formatStepId } from '../../domain/session/step-id.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import { type CheckEvidence, deriveCheckEvidence, NO_CHECKS } from '../../domain/verification/check-evidence.ts'
import {
  type CommandComparison,
  type ComparedTrees,
  compareRuns,
  deriveVerdict,
} from '../../domain/verification/compare-runs.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext, Session } from '../context.ts'
import { listRunsOnTree, loadGateRecord, loadOldTests, storeGateRecord } from '../gate-records.ts'
import { serializeByKey } from '../serialize-by-key.ts'
import { runChecks } from './run-checks.ts'
import type { VerifyContext } from './run-command.ts'
import { describeSetupFailure } from './run-setup.ts'

export interface Baseline {
  /** The step id of its record. */
  readonly stepId: string
  readonly runs: readonly VerificationRun[]
}

/** The step id of the baseline of a commit. */
export function baselineStepId({ record }: Session, head: string): string {
  return head === record.base_commit ? BASELINE_STEP_ID : formatStepId({ kind: 'commit_baseline', sha: head })
}

/** Loads a baseline; without a record, the results on the untouched base stand in. */
export async function loadBaseline(
  context: ActivityContext,
  session: Session,
  stepId: string = BASELINE_STEP_ID,
): Promise<Baseline> {
  const record =
    (await loadGateRecord(context, session, stepId)) ?? (await loadGateRecord(context, session, BASELINE_STEP_ID))
  return { stepId, runs: record?.verification ?? [] }
}

export interface RunComparison extends CommandComparison {
  readonly countsAgainstFix: boolean
}

/** Compares runs with the baseline, test by test if their tests can be read; with `strict` every failure counts. */
export function compareWithBaseline(
  { settings }: Session,
  { runs }: Pick<Baseline, 'runs'>,
  trees?: ComparedTrees,
): (run: VerificationRun) => RunComparison {
  const strict = isStrict(settings)
  return (run) => {
    const before = runs.filter(({ command }) => command === run.command)
    const [comparison] = compareRuns(before, [run], trees) as [CommandComparison]
    return { ...comparison, countsAgainstFix: deriveVerdict([comparison], strict) === 'failed' }
  }
}

/** Lanes that stand on the same commit have it checked once: two runs of the same step would share their folders. */
const takeTurn = serializeByKey()

async function inTurnFor<T>({ session, heartbeat }: VerifyContext, stepId: string, work: () => Promise<T>): Promise<T> {
  return await takeTurn(`${session.id}/${stepId}`, () => {
    heartbeat.signal.throwIfAborted()
    return work()
  })
}

/** Loads the baseline, and checks a commit without one (a person's, on the branch) first. */
export async function ensureBaseline(at: VerifyContext, head: string): Promise<Baseline> {
  const { context, session } = at
  const stepId = baselineStepId(session, head)
  if (stepId === BASELINE_STEP_ID) return await loadBaseline(context, session)
  return await inTurnFor(at, stepId, () => ensureCommitBaseline(at, { stepId, head }))
}

async function ensureCommitBaseline(
  at: VerifyContext,
  { stepId, head }: { readonly stepId: string; readonly head: string },
): Promise<Baseline> {
  const { context, session } = at
  const known = await loadBaseline(context, session, stepId)
  if (await loadGateRecord(context, session, stepId)) return known
  await appendEvents(context, session.id, [logBaselineUnknown(stepId, { head })])
  const measured = await measureBaseline(at, { stepId, head })
  const baseline = { ...known, runs: measured ?? known.runs }
  const source = { state: measured ? 'measured' : 'unavailable' } as const
  await storeGateRecord(context, session, stepId, { tree: '', source, verification: baseline.runs })
  return baseline
}

interface BlamedFix {
  readonly head: string
  readonly baseline: Baseline
  /** The commands that count against the fix. */
  readonly blamed: readonly RunComparison[]
}

/**
 * Measures a doubtful baseline again, once, before a fix is blamed, and returns the one that holds now. Doubtful is one that another
 * session measured (the network or a tool may have broken since), and a command that was red on the base and passed only on a later
 * commit (a flaky test does that by chance).
 */
export async function rerunDoubtfulBaseline(at: VerifyContext, fix: BlamedFix): Promise<Baseline> {
  return await inTurnFor(at, fix.baseline.stepId, () => rerunIfDoubtful(at, fix))
}

async function rerunIfDoubtful(at: VerifyContext, { head, baseline, blamed }: BlamedFix): Promise<Baseline> {
  const { context, session } = at
  const { stepId } = baseline
  const record = await loadGateRecord(context, session, stepId)
  const isChance = blamed.some(({ command }) => record?.maybeFlaky?.includes(command))
  const from = record?.source?.state === 'cached' ? record.source.session : undefined
  // Another lane may have measured it since.
  if (!record || (from === undefined && !isChance)) return { ...baseline, runs: record?.verification ?? baseline.runs }
  await appendEvents(context, session.id, [logBaselineDoubted(stepId, { head, from })])
  const measured = await measureBaseline(at, { stepId, head })
  const wasGreen = (name: string) => baseline.runs.some((run) => run.command === name && run.outcome === 'passed')
  const runs = measured ? markFlaky(measured, wasGreen) : baseline.runs
  const { maybeFlaky, ...kept } = record
  const source = { state: measured ? 'measured' : 'unavailable' } as const
  await storeGateRecord(context, session, stepId, { ...kept, source, verification: runs })
  return { ...baseline, runs }
}

/**
 * Runs all commands on the commit, in a fresh checkout, so that what an agent left can't make them fail. Undefined if the checkout
 * can't be set up: in the sandbox, say, a setup has no network any more.
 */
async function measureBaseline(
  at: VerifyContext,
  { stepId, head }: { readonly stepId: string; readonly head: string },
): Promise<readonly VerificationRun[] | undefined> {
  const { context, session } = at
  const runs = await runChecks(at, { stepId, head, tree: head, inFreshCheckout: true })
  const isBase = stepId === BASELINE_STEP_ID
  const failed = runs.find(({ setup }) => setup)
  if (failed) {
    const problem = describeSetupFailure(failed, isBase ? 'the untouched base' : head.slice(0, 10))
    const masked = await context.masking.maskText(problem)
    await appendEvents(context, session.id, [logBaselineRerunImpossible(stepId, { problem: masked })])
    return undefined
  }
  await appendEvents(context, session.id, [logBaselineRerun(stepId, { head: isBase ? undefined : head, runs })])
  return runs
}

function markFlaky(runs: readonly VerificationRun[], isWavering: (command: string) => boolean): VerificationRun[] {
  return runs.map((run) =>
    run.outcome !== 'passed' && isWavering(run.command) ? { ...run, flaky: true as const } : run,
  )
}

interface CommittedTree {
  /** The step that committed the tree. */
  readonly stepId: string
  readonly onto: string
  readonly sha: string
  readonly tree: string
}

/** Records the commands' results on a new commit as the baseline of the next stage. */
export async function recordBaseline(
  context: ActivityContext,
  session: Session,
  { stepId, onto, sha, tree }: CommittedTree,
): Promise<void> {
  const runs = [...(await listRunsOnTree(context, session, stepId, tree)).values()]
  if (runs.length === 0) return
  const before = await loadBaseline(context, session, baselineStepId(session, onto))
  const wasFlaky = (name: string) => before.runs.some((run) => run.command === name && run.flaky)
  const base = await loadBaseline(context, session)
  const red = base.runs.filter(({ outcome }) => outcome !== 'passed')
  await storeGateRecord(context, session, baselineStepId(session, sha), {
    tree,
    verification: markFlaky(runs, wasFlaky),
    source: { state: 'measured' },
    ...(red.length > 0 ? { maybeFlaky: red.map(({ command }) => command) } : {}),
  })
}

/** The commands' evidence from the step of this stage that last verified this tree. */
export async function loadCheckEvidence(
  context: ActivityContext,
  session: Session,
  { stepId, onto, tree }: Omit<CommittedTree, 'sha'>,
): Promise<CheckEvidence> {
  if (session.settings.verification.commands.length === 0) return NO_CHECKS
  const { runs: base } = await loadBaseline(context, session, baselineStepId(session, onto))
  const withFix = [...(await listRunsOnTree(context, session, stepId, tree)).values()]
  const oldTests = await loadOldTests(context, session, { stepId, tree })
  return deriveCheckEvidence({ base, withFix, oldTests })
}
