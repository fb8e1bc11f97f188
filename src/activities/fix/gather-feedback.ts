// What the gates said about the work so far, for the one who does it again. Kept with the calls that said it; the history
// only carries their names.

import { hashOutput } from '../../agents/prompts/parts/condense-output.ts'
import type { VerificationOutput } from '../../agents/prompts/parts/verification.ts'
import type { ChallengeVerdict } from '../../domain/stage/agent-replies.ts'
import { describeUnseenTests } from '../../domain/verification/compare-runs.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import type { ActivityContext, Session } from '../context.ts'
import { listGateRecordsOfStage, loadGateRecord } from '../gate-records.ts'
import { compareWithBaseline, type RunComparison } from '../verify/baseline.ts'

interface GateFeedback {
  readonly verdicts: Readonly<Record<string, ChallengeVerdict>>
  readonly verification?: readonly VerificationOutput[] | undefined
}

/** The latest word on each issue; of the verification only the latest, and only what counts against the work. */
export async function gatherFeedback(
  context: ActivityContext,
  session: Session,
  calls: readonly string[],
  codes: readonly string[],
): Promise<GateFeedback> {
  const verdicts: Record<string, ChallengeVerdict> = {}
  let verification: readonly VerificationOutput[] | undefined
  for (const stepId of calls) {
    const record = await loadGateRecord(context, session, stepId)
    for (const [code, verdict] of Object.entries(record?.verdicts ?? {})) {
      const feedback = [verdict.feedback, record?.whole && `On the whole diff: ${record.whole.feedback}`]
      if (codes.includes(code)) verdicts[code] = { ...verdict, feedback: feedback.filter(Boolean).join('\n') }
    }
    if (!record?.verification) continue
    const before = await previousOutputIds(context, session, stepId)
    const compare = await compareWithBaseline(context, session, record.baseline)
    const outputs = record.verification.flatMap((run) => toVerificationOutput(run, compare(run)))
    verification = outputs.map((run) =>
      before.get(run.command) === run.output_id ? { ...run, repeated: 'told' } : run,
    )
  }
  return { verdicts, verification: verification?.length ? verification : undefined }
}

/** How each command's output was known in the round of this stage before. */
async function previousOutputIds(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<ReadonlyMap<string, string>> {
  const gates = await listGateRecordsOfStage(context, session, stepId)
  const until = gates.findIndex((gate) => gate.stepId === stepId)
  const latest = gates.slice(0, until).findLast(({ record }) => record.verification)
  return new Map(latest?.record.verification?.map((run) => [run.command, runOutputId(run)]))
}

function runOutputId({ outcome, output = '', errors = '' }: VerificationRun): string {
  return hashOutput([outcome, output, errors])
}

/** Names in a list that somebody reads. */
const MAX_NAMES = 50

function toVerificationOutput(
  run: VerificationRun,
  { countsAgainstFix, tests, unseenTests }: RunComparison,
): VerificationOutput[] {
  if (!countsAgainstFix) return []
  const { command, outcome, output = '', errors, setup } = run
  const names = [
    ...(unseenTests ? [`${describeUnseenTests(unseenTests)}: its results can't be read`] : []),
    ...(tests?.broken ?? []),
    ...(tests?.gone ?? []).map((name) => `${name} (passed before, is not run now)`),
  ]
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : []
  return [
    {
      command,
      outcome: outcome === 'passed' ? 'passed, by its exit status' : outcome,
      ...(setup ? { setup } : {}),
      ...(names.length > 0 ? { newly_broken: [...names.slice(0, MAX_NAMES), ...more] } : {}),
      output_id: runOutputId(run),
      output,
      ...(errors ? { errors } : {}),
    },
  ]
}
