// What the gates left behind, each under the name of its call: the history only carries the names.

import type { ChallengeVerdict } from '../domain/stage/agent-replies.ts'
import { gatingScore } from '../domain/stage/score.ts'
import type { TamperingFlag } from '../domain/tampering/flag.ts'
import type { RegressionProof, VerificationRun } from '../domain/verification/compare-runs.ts'
import type { ActivityContext, Session } from './context.ts'
import { storeArtifact } from './store-artifact.ts'

export interface GateRecord {
  readonly tree: string
  readonly verdicts?: Readonly<Record<string, ChallengeVerdict>>
  readonly whole?: { readonly score: number; readonly feedback: string } | undefined
  readonly verification?: readonly VerificationRun[]
  /** The record of what this tree stands on, where that is not the session's untouched base. */
  readonly baseline?: string
  /** The verification was in a fresh checkout. */
  readonly inFreshCheckout?: true
  /** Of the base: no command made a file that was still there in the end. */
  readonly leftNothing?: true
  /** Of a commit: the commands that were red on the base, and may have come out as they did by chance. Gone once that was looked at. */
  readonly maybeFlaky?: readonly string[]
  /** Of the base: who ran it, where that was another session. */
  readonly recalled?: { readonly session: string; readonly at: number }
  readonly silenced?: readonly TamperingFlag[] | undefined
  readonly proof?: RegressionProof | undefined
}

export async function loadGateRecord(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<GateRecord | undefined> {
  const [kept] = await context.store.artifacts.listForSession(session.id, { kind: 'verdict', name: stepId })
  return kept && (await loadRecord(context, kept.ref))
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

/** Those of the call's own stage, in the order in which they were written. */
export async function listGateRecordsOfStage(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<NamedGateRecord[]> {
  const stage = stepId.slice(0, stepId.indexOf('.') + 1)
  const all = await context.store.artifacts.listForSession(session.id, { kind: 'verdict' })
  const own = all.filter(({ name }) => name.startsWith(stage))
  return await Promise.all(own.map(async ({ name, ref }) => ({ stepId: name, record: await loadRecord(context, ref) })))
}

/** How each command ended when a call of this stage verified this tree last. */
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

async function loadRecord({ artifacts }: ActivityContext, ref: string): Promise<GateRecord> {
  return JSON.parse((await artifacts.get(ref)).toString())
}

export function getGatingScore(gate: GateRecord | undefined, code: string): number | undefined {
  const verdict = gate?.verdicts?.[code]
  return verdict && gatingScore(verdict)
}
