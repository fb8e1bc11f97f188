// Claims that there is nothing to fix about an issue. The fixer makes them with a reason, and changes nothing; the challenger agrees
// or does not. Where it does the issue is done with, else it goes round again like any other that was not fixed.
import type { FixOutcome } from '../../domain/protocol/index.ts'
import type { Pick } from '../../domain/stage/attempt.ts'
import type { Ledger } from './stage-state.ts'

export interface Claim {
  readonly code: string
  readonly reason: string
  /** The fixer's call that made it, whose snapshot has all its words. */
  readonly snapshot: string
}

/** Nothing is believed of a call that failed. */
export function claimsIn(codes: readonly string[], { work, failure }: FixOutcome): Claim[] {
  if (failure) return []
  return codes.flatMap((code) => {
    const { files = 0, claim, note: reason = '' } = work.issues[code] ?? {}
    return claim === 'false_positive' && files === 0 ? [{ code, reason, snapshot: work.snapshot }] : []
  })
}

export function picksOf(claims: readonly Claim[]): Pick[] {
  const bySnapshot = Map.groupBy(claims, ({ snapshot }) => snapshot)
  return [...bySnapshot].map(([snapshot, own]) => ({ snapshot, codes: own.map(({ code }) => code) }))
}

/** `heard`: the challenger's call that they were put to, and what it agreed to. */
export function weighClaims(
  { agreed, problems }: Ledger,
  claims: readonly Claim[],
  heard?: { readonly call: string; readonly agreed: readonly string[] },
): void {
  for (const { code, reason } of claims) {
    if (heard?.agreed.includes(code)) {
      agreed.set(code, { reason, call: heard.call })
      continue
    }
    const why = heard ? 'the challenger did not agree' : 'there is no challenger to agree'
    problems.set(code, { class: 'verdict', reason: `claimed to be a false positive, and ${why}: ${reason}` })
  }
}
