// What the gates left behind, each under the name of its call: the history only carries the names.

import type { ChallengeVerdict } from '../domain/stage/agent-replies.ts'
import { gatingScore } from '../domain/stage/score.ts'
import type { TamperingFlag } from '../domain/tampering/patterns.ts'
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
  shop: ActivityContext,
  session: Session,
  call: string,
): Promise<GateRecord | undefined> {
  const [kept] = await shop.store.artifacts.listForSession(session.id, { kind: 'verdict', name: call })
  return kept && (await loadRecord(shop, kept.ref))
}

export async function storeGateRecord(
  shop: ActivityContext,
  session: Session,
  call: string,
  record: GateRecord,
): Promise<void> {
  await storeArtifact(shop, session.id, 'verdict', call, JSON.stringify(record))
}

export interface NamedGateRecord {
  readonly call: string
  readonly record: GateRecord
}

/** Those of the call's own stage, in the order in which they were written. */
export async function listGateRecordsOfStage(
  shop: ActivityContext,
  session: Session,
  call: string,
): Promise<NamedGateRecord[]> {
  const stage = call.slice(0, call.indexOf('.') + 1)
  const all = await shop.store.artifacts.listForSession(session.id, { kind: 'verdict' })
  const own = all.filter(({ name }) => name.startsWith(stage))
  return await Promise.all(own.map(async ({ name, ref }) => ({ call: name, record: await loadRecord(shop, ref) })))
}

/** How each command ended when a call of this stage verified this tree last. */
export async function listRunsOnTree(
  shop: ActivityContext,
  session: Session,
  call: string,
  tree: string,
): Promise<ReadonlyMap<string, VerificationRun>> {
  const gates = await listGateRecordsOfStage(shop, session, call)
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
