// What the gates said about the work so far, for the one who does it again. Kept with the calls that said it; the history
// only carries their names.
import { outputId } from '../agents/condense.ts'
import type { VerificationOutput } from '../agents/verification-part.ts'
import {
  type Comparison,
  compareRuns,
  type RegressionProof,
  type VerificationRun,
  verdictOfRuns,
} from '../domain/evidence.ts'
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
  readonly verification?: readonly VerificationRun[]
  /** The verification was in a fresh checkout. */
  readonly fresh?: true
  /** Of the base: no command made a file that was still there in the end. */
  readonly leftNothing?: true
  /** Of the base: who ran it, where that was another session. */
  readonly recalled?: { readonly session: string; readonly at: number }
  readonly silenced?: readonly SilencedCheck[] | undefined
  readonly proof?: RegressionProof | undefined
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
  const judge = await againstBase(shop, session)
  for (const call of calls) {
    const record = await readGate(shop, session, call)
    for (const [code, verdict] of Object.entries(record?.verdicts ?? {})) {
      const feedback = [verdict.feedback, record?.whole && `On the whole diff: ${record.whole.feedback}`]
      if (codes.includes(code)) verdicts[code] = { ...verdict, feedback: feedback.filter(Boolean).join('\n') }
    }
    if (!record?.verification) continue
    const before = await saidBefore(shop, session, call)
    const told = record.verification.flatMap((run) => toldOf(run, judge(run)))
    verification = told.map((run) => (before.get(run.command) === run.output_id ? { ...run, again: 'told' } : run))
  }
  return { verdicts, verification: verification?.length ? verification : undefined }
}

/** How each command's output was known in the round of this stage before. */
async function saidBefore(shop: Workshop, session: Session, call: string): Promise<ReadonlyMap<string, string>> {
  const stage = call.slice(0, call.indexOf('.') + 1)
  const all = await shop.store.artifacts.ofSession(session.id, { kind: 'verdict' })
  const earlier = all
    .slice(
      0,
      all.findIndex(({ name }) => name === call),
    )
    .filter(({ name }) => name.startsWith(stage))
  for (const { ref } of earlier.toReversed()) {
    const { verification } = await readRecord(shop, ref)
    if (verification) return new Map(verification.map((run) => [run.command, idOf(run)]))
  }
  return new Map()
}

function idOf({ outcome, output = '', errors = '' }: VerificationRun): string {
  return outputId([outcome, output, errors])
}

/** Names in a list that somebody reads. */
const MOST_NAMES = 50

function toldOf(run: VerificationRun, { counts, tests }: Judgement): VerificationOutput[] {
  if (!counts) return []
  const { command, outcome, output = '', errors, setup } = run
  const names = [
    ...(tests?.broken ?? []),
    ...(tests?.gone ?? []).map((name) => `${name} (passed before, is not run now)`),
  ]
  const more = names.length > MOST_NAMES ? [`and ${names.length - MOST_NAMES} more`] : []
  return [
    {
      command,
      outcome: outcome === 'passed' ? 'passed, by its exit status' : outcome,
      ...(setup ? { setup } : {}),
      ...(names.length > 0 ? { newly_broken: [...names.slice(0, MOST_NAMES), ...more] } : {}),
      output_id: idOf(run),
      output,
      ...(errors ? { errors } : {}),
    },
  ]
}

export interface Judgement extends Comparison {
  /** Against the work. */
  readonly counts: boolean
}

/** What a run says beside the one on the untouched base; with `strict` whatever failed counts. */
export async function againstBase(shop: Workshop, session: Session): Promise<(run: VerificationRun) => Judgement> {
  const base = (await readGate(shop, session, BASE))?.verification ?? []
  const strict = isStrict(session.settings)
  return (run) => {
    const before = base.filter(({ command }) => command === run.command)
    const [comparison] = compareRuns(before, [run]) as [Comparison]
    return { ...comparison, counts: verdictOfRuns([comparison], strict) === 'failed' }
  }
}

/** The commands that proved something when a call of this stage verified this tree last. */
export async function provenOn(shop: Workshop, session: Session, call: string, tree: string): Promise<string[]> {
  const judge = await againstBase(shop, session)
  const runs = await runsOn(shop, session, call, tree)
  const commands = await Promise.all(session.settings.verification.commands.map(shop.masking.text))
  return commands.flatMap((command) => {
    const run = runs.get(command)
    if (run?.outcome === 'passed') return [command]
    return run && judge(run).effect === 'no_worse' ? [`${command} (no test newly broken)`] : []
  })
}

/** How each command ended when a call of this stage verified this tree last. */
export async function runsOn(
  shop: Workshop,
  session: Session,
  call: string,
  tree: string,
): Promise<ReadonlyMap<string, VerificationRun>> {
  const stage = call.slice(0, call.indexOf('.') + 1)
  const runs = new Map<string, VerificationRun>()
  for (const { name, ref } of await shop.store.artifacts.ofSession(session.id, { kind: 'verdict' })) {
    const record = name.startsWith(stage) ? await readRecord(shop, ref) : undefined
    if (record?.tree !== tree) continue
    for (const run of record.verification ?? []) runs.set(run.command, run)
  }
  return runs
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
