// What the gates said about the work so far, for the one who does it again. Kept with the calls that said it; the history
// only carries their names.
import { outputId } from '../../agents/prompts/parts/condense-output.ts'
import type { VerificationOutput } from '../../agents/prompts/parts/verification.ts'
import type { ChallengeVerdict } from '../../domain/stage/agent-replies.ts'
import { unseenWords, type VerificationRun } from '../../domain/verification/compare-runs.ts'
import type { Session, Workshop } from '../context.ts'
import { gatesOfStage, readGate } from '../gate-records.ts'
import { besideGround, type Judgement } from '../verify/baseline.ts'

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
  for (const call of calls) {
    const record = await readGate(shop, session, call)
    for (const [code, verdict] of Object.entries(record?.verdicts ?? {})) {
      const feedback = [verdict.feedback, record?.whole && `On the whole diff: ${record.whole.feedback}`]
      if (codes.includes(code)) verdicts[code] = { ...verdict, feedback: feedback.filter(Boolean).join('\n') }
    }
    if (!record?.verification) continue
    const before = await saidBefore(shop, session, call)
    const judge = await besideGround(shop, session, record.ground)
    const told = record.verification.flatMap((run) => toldOf(run, judge(run)))
    verification = told.map((run) => (before.get(run.command) === run.output_id ? { ...run, again: 'told' } : run))
  }
  return { verdicts, verification: verification?.length ? verification : undefined }
}

/** How each command's output was known in the round of this stage before. */
async function saidBefore(shop: Workshop, session: Session, call: string): Promise<ReadonlyMap<string, string>> {
  const gates = await gatesOfStage(shop, session, call)
  const until = gates.findIndex((gate) => gate.call === call)
  const latest = gates.slice(0, until).findLast(({ record }) => record.verification)
  return new Map(latest?.record.verification?.map((run) => [run.command, idOf(run)]))
}

function idOf({ outcome, output = '', errors = '' }: VerificationRun): string {
  return outputId([outcome, output, errors])
}

/** Names in a list that somebody reads. */
const MOST_NAMES = 50

function toldOf(run: VerificationRun, { counts, tests, unseen }: Judgement): VerificationOutput[] {
  if (!counts) return []
  const { command, outcome, output = '', errors, setup } = run
  const names = [
    ...(unseen ? [`${unseenWords(unseen)}: its results can't be read`] : []),
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
