// False-positive claims: the fixer gives a reason and changes nothing, and the challenger agrees or not. If it agrees, the issue is
// done with; else the issue goes round again like any other that was not fixed.

import type { Selection } from '../../domain/stage/attempt.ts'
import type { FixOutcome } from '../../domain/workflow-types/index.ts'
import type { StageState } from './stage-state.ts'

export interface FalsePositiveClaim {
  readonly code: string
  readonly reason: string
  /** The step id of the fixer that made it; the snapshot of that name has its full text. */
  readonly snapshot: string
}

/** An agent call that failed makes no claims. */
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

/** `verdict` names the challenger's step and the claims that it agreed to; it is absent where there is no challenger. */
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
