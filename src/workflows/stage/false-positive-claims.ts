// Claims that there is nothing to fix about an issue. The fixer makes them with a reason, and changes nothing; the challenger agrees
// or does not. Where it does the issue is done with, else it goes round again like any other that was not fixed.
import type { FixOutcome } from '../../domain/protocol/index.ts'
import type { Selection } from '../../domain/stage/attempt.ts'
import type { StageState } from './stage-state.ts'

export interface FalsePositiveClaim {
  readonly code: string
  readonly reason: string
  /** The fixer's call that made it, whose snapshot has all its words. */
  readonly snapshot: string
}

/** Nothing is believed of a call that failed. */
export function listFalsePositiveClaims(codes: readonly string[], { work, failure }: FixOutcome): FalsePositiveClaim[] {
  if (failure) return []
  return codes.flatMap((code) => {
    const { files = 0, claim, message: reason = '' } = work.issues[code] ?? {}
    return claim === 'false_positive' && files === 0 ? [{ code, reason, snapshot: work.snapshot }] : []
  })
}

export function toSelections(claims: readonly FalsePositiveClaim[]): Selection[] {
  const bySnapshot = Map.groupBy(claims, ({ snapshot }) => snapshot)
  return [...bySnapshot].map(([snapshot, own]) => ({ snapshot, codes: own.map(({ code }) => code) }))
}

/** `heard`: the challenger's call that they were put to, and what it agreed to. */
export function recordClaimVerdicts(
  { falsePositives, problems }: StageState,
  claims: readonly FalsePositiveClaim[],
  verdict?: { readonly stepId: string; readonly agreed: readonly string[] },
): void {
  for (const { code, reason } of claims) {
    if (verdict?.agreed.includes(code)) {
      falsePositives.set(code, { reason, stepId: verdict.stepId })
      continue
    }
    const why = verdict ? 'the challenger did not agree' : 'there is no challenger to agree'
    problems.set(code, { class: 'verdict', reason: `claimed to be a false positive, and ${why}: ${reason}` })
  }
}
