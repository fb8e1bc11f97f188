// Lists the operator's commands that prove something for a committed tree, or says why none does.
import { joinList } from '../text/join-list.ts'
import { truncateText } from '../text/truncate.ts'
import { type CommandComparison, compareRuns } from './compare-runs.ts'
import type { OldTestsResult, VerificationRun } from './gate-record.ts'

export interface CheckEvidence {
  /** The commands that prove something. */
  readonly passed: readonly string[]
  /** Why none does. */
  readonly unproven?: string
}

export const NO_CHECKS: CheckEvidence = { passed: [], unproven: 'no check is configured' }
const MUTE = 'no check could say anything of it'

export interface EvidenceRuns {
  readonly base: readonly VerificationRun[]
  readonly withFix: readonly VerificationRun[]
  /** The run with the tests as they were, where the fix changed some. */
  readonly oldTests?: OldTestsResult | undefined
}

/** Gap: a command that says no more than that nothing is newly broken proves a fix as well as one that passes. */
export function deriveCheckEvidence({ base, withFix, oldTests }: EvidenceRuns): CheckEvidence {
  const compared = compareRuns(base, withFix).filter(({ after }) => after !== null)
  const withOldTests = new Map(compareRuns(base, oldTests?.verification ?? []).map((each) => [each.command, each]))
  const onlyWithNewTests = new Set(oldTests?.unproven)
  const speaking = (comparison: CommandComparison): CommandComparison | undefined =>
    onlyWithNewTests.has(comparison.command) ? withOldTests.get(comparison.command) : comparison
  const passed = compared.flatMap((comparison) => {
    const { after, effect } = speaking(comparison) ?? {}
    if (after === 'passed') return [comparison.command]
    return effect === 'no_worse' ? [`${comparison.command} (no test newly broken)`] : []
  })
  if (passed.length > 0) return { passed }
  const texts = compared.map(({ command, after }) => {
    const why = onlyWithNewTests.has(command)
      ? 'passes only with the tests that the fix changed'
      : `${after}, as before`
    return `${truncateText(command, 80)} (${why})`
  })
  return { passed, unproven: [MUTE, joinList(texts, '; ', 3)].filter(Boolean).join(': ') }
}
