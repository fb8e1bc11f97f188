// The gates' feedback on the work so far, for the next round, from the records of the gates' steps.

import { createHash } from 'node:crypto'
import type { VerificationOutput } from '../../agents/prompts/parts/verification.ts'
import type { ChallengeVerdict } from '../../domain/stage/reply-schemas.ts'
import { describeUnseenTests } from '../../domain/verification/compare-runs.ts'
import type { OldTestsResult, VerificationRun } from '../../domain/verification/gate-record.ts'
import type { ActivityContext, Session } from '../context.ts'
import { listGateRecordsOfStage, loadGateRecord } from '../gate-records.ts'
import { compareWithBaseline, loadBaseline, type RunComparison } from '../verify/baseline.ts'

interface GateFeedback {
  readonly verdicts: Readonly<Record<string, ChallengeVerdict>>
  readonly verification?: readonly VerificationOutput[] | undefined
}

/** The latest verdict on each issue, and the failures that count against the work in the latest verification. */
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
    if (record?.oldTests) verification = [...(verification ?? []), ...toOldTestOutputs(record.oldTests)]
    if (!record?.verification) continue
    const before = await loadPreviousRuns(context, session, stepId)
    const compare = compareWithBaseline(session, await loadBaseline(context, session, record.baseline), record)
    verification = record.verification.flatMap((run) => {
      const other_numbers = compareWithPrevious(before.get(run.command), run)
      return toVerificationOutput(run, compare(run)).map((output) =>
        other_numbers ? { ...output, other_numbers } : output,
      )
    })
  }
  return { verdicts, verification: verification?.length ? verification : undefined }
}

/** The result of each command in the stage's verification before this one. */
async function loadPreviousRuns(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<ReadonlyMap<string, VerificationRun>> {
  const gates = await listGateRecordsOfStage(context, session, stepId)
  const until = gates.findIndex((gate) => gate.stepId === stepId)
  const latest = gates.slice(0, until).findLast(({ record }) => record.verification)
  return new Map(latest?.record.verification?.map((run) => [run.command, run]))
}

function compareWithPrevious(before: VerificationRun | undefined, run: VerificationRun): string[] | undefined {
  return before && listOtherNumbers(listTexts(before).join('\n'), listTexts(run).join('\n'))
}

function listTexts({ outcome, output = '', errors = '' }: VerificationRun): string[] {
  return [outcome, output, errors]
}

/** The failures of the tests as they were before the fix. */
function toOldTestOutputs({ failures, verification = [], files }: OldTestsResult): VerificationOutput[] {
  return failures.map(({ command, outcome, tests }) => {
    const { output = '', errors } = verification.find((run) => run.command === command) ?? {}
    return {
      command,
      outcome,
      with_old_tests: files.map(({ path }) => path).slice(0, MAX_NAMES),
      newly_broken: tests.slice(0, MAX_NAMES),
      output,
      ...(errors ? { errors } : {}),
    }
  })
}

const MAX_NAMES = 50

function toVerificationOutput(
  run: VerificationRun,
  { countsAgainstFix, tests, unseenTests, summaries }: RunComparison,
): VerificationOutput[] {
  if (!countsAgainstFix) return []
  const { command, outcome, output = '', errors, setup } = run
  const names = [
    ...(unseenTests ? [`${describeUnseenTests(unseenTests)}: its results can't be read`] : []),
    ...(summaries?.effect === 'broken' ? [summaries.why, ...summaries.newlyFailing] : []),
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
      output_id: hashOutput(listTexts(run)),
      output,
      ...(errors ? { errors } : {}),
    },
  ]
}

/** More or longer lines would be as much as the output itself. */
const MAX_LINES = 20
const MAX_LINE = 300

/** Equal for outputs that differ only in numbers: times don't count, but one may be the failure itself. */
export function hashOutput(parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(parts.map(maskNumbers)))
    .digest('hex')
    .slice(0, 12)
}

/** The lines that differ from an earlier text only in numbers; undefined if anything else differs, or if they are too many. */
export function listOtherNumbers(before: string, now: string): string[] | undefined {
  if (maskNumbers(before) !== maskNumbers(now)) return undefined
  const earlier = before.split('\n')
  const lines = now.split('\n').filter((line, at) => line !== earlier[at])
  return lines.length > MAX_LINES || lines.some(({ length }) => length > MAX_LINE) ? undefined : lines
}

function maskNumbers(text: string): string {
  return text.replace(/\b0x[0-9a-f]+|\d+(?:[.,]\d+)*/gi, '0')
}
