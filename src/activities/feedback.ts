// What the gates said about the work so far, for the one who does it again. Kept with the calls that said it; the history
// only carries their names.
import type { VerificationOutput } from '../agents/prompt-parts.ts'
import type { ChallengeVerdict } from '../domain/reply.ts'
import { gatingScore } from '../domain/score.ts'
import { isStrict } from '../domain/settings.ts'
import type { SilencedCheck } from '../domain/silencing.ts'
import { keep, type Session, type Workshop } from './workshop.ts'

/** What a gate leaves behind under the name of its call. */
export interface GateRecord {
  readonly tree: string
  readonly verdicts?: Readonly<Record<string, ChallengeVerdict>>
  readonly whole?: { readonly score: number; readonly feedback: string } | undefined
  readonly verification?: readonly VerificationOutput[]
  readonly silenced?: readonly SilencedCheck[] | undefined
}

/** The call that verified the untouched base. */
export const BASE = 'base'

interface Feedback {
  readonly verdicts: Readonly<Record<string, ChallengeVerdict>>
  readonly verification?: readonly VerificationOutput[] | undefined
}

/** The latest word on each issue; of the verification only the latest, and only what counts against the work. */
export async function gatherFeedback(
  shop: Workshop,
  session: Session,
  calls: readonly string[],
  codes: readonly string[],
): Promise<Feedback> {
  const verdicts: Record<string, ChallengeVerdict> = {}
  let verification: readonly VerificationOutput[] | undefined
  const isBroken = await whatCounts(shop, session)
  for (const call of calls) {
    const record = await readGate(shop, session, call)
    for (const [code, verdict] of Object.entries(record?.verdicts ?? {})) {
      const feedback = [verdict.feedback, record?.whole && `On the whole diff: ${record.whole.feedback}`]
      if (codes.includes(code)) verdicts[code] = { ...verdict, feedback: feedback.filter(Boolean).join('\n') }
    }
    if (record?.verification) verification = record.verification.filter(isBroken)
  }
  return { verdicts, verification: verification?.length ? verification : undefined }
}

/** What failed and had passed on the base; with `strict`, whatever failed. */
export async function whatCounts(
  shop: Workshop,
  session: Session,
): Promise<(run: Pick<VerificationOutput, 'command' | 'outcome' | 'setup'>) => boolean> {
  const base = (await readGate(shop, session, BASE))?.verification ?? []
  const passedBefore = new Set(base.filter(({ outcome }) => outcome === 'passed').map(({ command }) => command))
  const strict = isStrict(session.settings)
  // A setup that had failed before would have ended the session.
  return ({ command, outcome, setup }) =>
    outcome !== 'passed' && (strict || setup === true || passedBefore.has(command))
}

/** The commands that passed on this tree when a call of this stage verified it last. */
export async function passedOn(shop: Workshop, session: Session, call: string, tree: string): Promise<string[]> {
  const stage = call.slice(0, call.indexOf('.') + 1)
  const passed = new Set<string>()
  for (const { name, ref } of await shop.store.artifacts.ofSession(session.id, { kind: 'verdict' })) {
    const record = name.startsWith(stage) ? await readRecord(shop, ref) : undefined
    if (record?.tree !== tree) continue
    for (const { command, outcome } of record.verification ?? []) {
      if (outcome === 'passed') passed.add(command)
      else passed.delete(command)
    }
  }
  return session.settings.verification.commands.filter((command) => passed.has(command))
}

export async function readGate(shop: Workshop, session: Session, call: string): Promise<GateRecord | undefined> {
  const [kept] = await shop.store.artifacts.ofSession(session.id, { kind: 'verdict', name: call })
  return kept && (await readRecord(shop, kept.ref))
}

async function readRecord({ artifacts }: Workshop, ref: string): Promise<GateRecord> {
  return JSON.parse((await artifacts.get(ref)).toString())
}

export async function keepGate(shop: Workshop, session: Session, call: string, record: GateRecord): Promise<void> {
  await keep(shop, session.id, 'verdict', call, JSON.stringify(record))
}

export function scoreOf(gate: GateRecord | undefined, code: string): number | undefined {
  const verdict = gate?.verdicts?.[code]
  return verdict && gatingScore(verdict)
}
