// A finding that a person dismissed, or that was refuted, does not come back by being said again: it needs new evidence.
import type { FindingVerdict, ReviewFinding } from './finding.ts'
import { isSameFailure, isSameQuote } from './merge-duplicates.ts'

/** An earlier finding that is settled, with the reason. */
export interface DismissedFinding {
  /** How people find it: the code of its issue, or its session and id. */
  readonly id: string
  readonly file: string
  /** Absent where only a title is known. */
  readonly quote?: string | undefined
  readonly category?: string | undefined
  readonly failure: string
  readonly reason: string
}

/** The states of findings that repeat a dismissed one and bring nothing new, by id. */
export function refuteDismissed(
  findings: readonly ReviewFinding[],
  dismissed: readonly DismissedFinding[],
): Map<string, FindingVerdict & { readonly state: 'refuted' }> {
  const refuted = new Map<string, FindingVerdict & { readonly state: 'refuted' }>()
  for (const finding of findings) {
    const earlier = dismissed.find((each) => each.file === finding.file && isRepeated(finding, each))
    if (!earlier || finding.new_evidence !== undefined) continue
    const reason = `dismissed before as ${earlier.id} (${earlier.reason}), and nothing new was brought`
    refuted.set(finding.id, { state: 'refuted', reason, evidence: [] })
  }
  return refuted
}

/** In other words it is the same if it quotes the same lines and is of the same category. */
function isRepeated(finding: ReviewFinding, { quote = '', category, failure }: DismissedFinding): boolean {
  if (isSameFailure(finding, { failure }) || isSameFailure({ failure: finding.title }, { failure })) return true
  return quote.trim() !== '' && category === finding.category && isSameQuote(finding, { quote })
}
