// The gates' records, stored under their step ids: the history carries only the ids.
import { getStageNumber } from '../domain/session/step-id.ts'
import { gatingScore } from '../domain/stage/gating-score.ts'
import { GateRecord, type OldTestsResult, type VerificationRun } from '../domain/verification/gate-record.ts'
import { loadArtifact, storeArtifact } from './artifacts.ts'
import type { ActivityContext, Session } from './context.ts'

export async function loadGateRecord(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<GateRecord | undefined> {
  const [kept] = await context.store.artifacts.listForSession(session.id, { kind: 'verdict', name: stepId })
  return kept && (await loadArtifact(context, kept.ref, GateRecord))
}

export async function storeGateRecord(
  context: ActivityContext,
  session: Session,
  stepId: string,
  record: GateRecord,
): Promise<void> {
  await storeArtifact(context, session.id, 'verdict', stepId, JSON.stringify(record))
}

export interface NamedGateRecord {
  readonly stepId: string
  readonly record: GateRecord
}

/** The records of the stage that the step belongs to, in the order in which they were written. */
export async function listGateRecordsOfStage(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<NamedGateRecord[]> {
  const stage = getStageNumber(stepId)
  const all = await context.store.artifacts.listForSession(session.id, { kind: 'verdict' })
  const own = all.filter(({ name }) => getStageNumber(name) === stage)
  return await Promise.all(
    own.map(async ({ name, ref }) => ({ stepId: name, record: await loadArtifact(context, ref, GateRecord) })),
  )
}

/** The result of each command when a step of this stage last verified this tree. */
export async function listRunsOnTree(
  context: ActivityContext,
  session: Session,
  stepId: string,
  tree: string,
): Promise<ReadonlyMap<string, VerificationRun>> {
  const gates = await listGateRecordsOfStage(context, session, stepId)
  const runs = gates.flatMap(({ record }) => (record.tree === tree ? (record.verification ?? []) : []))
  return new Map(runs.map((run) => [run.command, run]))
}

/** The last run of a step of this stage on this tree with the tests as they were. */
export async function loadOldTests(
  context: ActivityContext,
  session: Session,
  { stepId, tree }: { readonly stepId: string; readonly tree: string },
): Promise<OldTestsResult | undefined> {
  const gates = await listGateRecordsOfStage(context, session, stepId)
  return gates.findLast(({ record }) => record.tree === tree && record.oldTests)?.record.oldTests
}

export function getGatingScore(gate: GateRecord | undefined, code: string): number | undefined {
  const verdict = gate?.verdicts?.[code]
  return verdict && gatingScore(verdict)
}
