// The baseline of a stage, and how runs compare with it: the untouched base for the first stage, then the commit of the
// stage before. A check that passed there must not fail; one that failed there is nobody's fault.

import { BASELINE_STEP_ID, formatStepId } from '../../domain/session/step-id.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import { type CommandComparison, compareRuns, deriveVerdict } from '../../domain/verification/compare-runs.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import type { ActivityContext, Session } from '../context.ts'
import { listRunsOnTree, loadGateRecord, storeGateRecord } from '../gate-records.ts'

/** The step id of the baseline record for this commit. */
export function baselineName({ record }: Session, head: string): string {
  return head === record.base_commit ? BASELINE_STEP_ID : formatStepId({ kind: 'commit_baseline', sha: head })
}

/** The runs of this baseline; the untouched base's if it has no record. */
export async function loadBaselineRuns(
  context: ActivityContext,
  session: Session,
  baselineStepId: string = BASELINE_STEP_ID,
): Promise<readonly VerificationRun[]> {
  const record =
    (await loadGateRecord(context, session, baselineStepId)) ??
    (await loadGateRecord(context, session, BASELINE_STEP_ID))
  return record?.verification ?? []
}

export interface RunComparison extends CommandComparison {
  readonly countsAgainstFix: boolean
}

/** Compares a run with the baseline; with `strict` every failure counts. */
export async function compareWithBaseline(
  context: ActivityContext,
  session: Session,
  baselineStepId?: string,
): Promise<(run: VerificationRun) => RunComparison> {
  const known = await loadBaselineRuns(context, session, baselineStepId)
  const strict = isStrict(session.settings)
  return (run) => {
    const before = known.filter(({ command }) => command === run.command)
    const [comparison] = compareRuns(before, [run]) as [CommandComparison]
    return { ...comparison, countsAgainstFix: deriveVerdict([comparison], strict) === 'failed' }
  }
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
  const before = await loadBaselineRuns(context, session, baselineName(session, onto))
  const isWavering = ({ command }: VerificationRun) => before.some((run) => run.command === command && run.flaky)
  const verification = runs.map((run) =>
    run.outcome !== 'passed' && isWavering(run) ? { ...run, flaky: true as const } : run,
  )
  const base = await loadBaselineRuns(context, session)
  const maybeFlaky = base.flatMap(({ command, outcome }) => (outcome === 'passed' ? [] : [command]))
  await storeGateRecord(context, session, baselineName(session, sha), {
    tree,
    verification,
    source: { state: 'measured' },
    ...(maybeFlaky.length > 0 ? { maybeFlaky } : {}),
  })
}

/** The commands that proved something when a step of this stage last verified this tree. */
export async function listProvenCommands(
  context: ActivityContext,
  session: Session,
  { stepId, onto, tree }: Omit<CommittedTree, 'sha'>,
): Promise<string[]> {
  const compare = await compareWithBaseline(context, session, baselineName(session, onto))
  const runs = await listRunsOnTree(context, session, stepId, tree)
  const commands = await Promise.all(session.settings.verification.commands.map(context.masking.maskText))
  return commands.flatMap((command) => {
    const run = runs.get(command)
    if (run?.outcome === 'passed') return [command]
    return run && compare(run).effect === 'no_worse' ? [`${command} (no test newly broken)`] : []
  })
}
