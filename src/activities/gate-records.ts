// What the gates left behind, each under the name of its call: the history only carries the names.

import type { ChallengeVerdict } from '../domain/stage/agent-replies.ts'
import { gatingScore } from '../domain/stage/score.ts'
import type { SilencedCheck } from '../domain/tampering/patterns.ts'
import type { RegressionProof, VerificationRun } from '../domain/verification/compare-runs.ts'
import type { Session, Workshop } from './context.ts'
import { keep } from './store-artifact.ts'

export interface GateRecord {
  readonly tree: string
  readonly verdicts?: Readonly<Record<string, ChallengeVerdict>>
  readonly whole?: { readonly score: number; readonly feedback: string } | undefined
  readonly verification?: readonly VerificationRun[]
  /** The record of what this tree stands on, where that is not the session's untouched base. */
  readonly ground?: string
  /** The verification was in a fresh checkout. */
  readonly fresh?: true
  /** Of the base: no command made a file that was still there in the end. */
  readonly leftNothing?: true
  /** Of a commit: the commands that were red on the base, and may have come out as they did by chance. Gone once that was looked at. */
  readonly unsure?: readonly string[]
  /** Of the base: who ran it, where that was another session. */
  readonly recalled?: { readonly session: string; readonly at: number }
  readonly silenced?: readonly SilencedCheck[] | undefined
  readonly proof?: RegressionProof | undefined
}

export async function readGate(shop: Workshop, session: Session, call: string): Promise<GateRecord | undefined> {
  const [kept] = await shop.store.artifacts.ofSession(session.id, { kind: 'verdict', name: call })
  return kept && (await readRecord(shop, kept.ref))
}

export async function keepGate(shop: Workshop, session: Session, call: string, record: GateRecord): Promise<void> {
  await keep(shop, session.id, 'verdict', call, JSON.stringify(record))
}

export interface NamedRecord {
  readonly call: string
  readonly record: GateRecord
}

/** Those of the call's own stage, in the order in which they were written. */
export async function gatesOfStage(shop: Workshop, session: Session, call: string): Promise<NamedRecord[]> {
  const stage = call.slice(0, call.indexOf('.') + 1)
  const all = await shop.store.artifacts.ofSession(session.id, { kind: 'verdict' })
  const own = all.filter(({ name }) => name.startsWith(stage))
  return await Promise.all(own.map(async ({ name, ref }) => ({ call: name, record: await readRecord(shop, ref) })))
}

/** How each command ended when a call of this stage verified this tree last. */
export async function runsOn(
  shop: Workshop,
  session: Session,
  call: string,
  tree: string,
): Promise<ReadonlyMap<string, VerificationRun>> {
  const gates = await gatesOfStage(shop, session, call)
  const runs = gates.flatMap(({ record }) => (record.tree === tree ? (record.verification ?? []) : []))
  return new Map(runs.map((run) => [run.command, run]))
}

async function readRecord({ artifacts }: Workshop, ref: string): Promise<GateRecord> {
  return JSON.parse((await artifacts.get(ref)).toString())
}

export function scoreOf(gate: GateRecord | undefined, code: string): number | undefined {
  const verdict = gate?.verdicts?.[code]
  return verdict && gatingScore(verdict)
}
