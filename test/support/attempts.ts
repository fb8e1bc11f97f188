// Attempts for tests of the rules of a stage, and any number of random ones.
import fc from 'fast-check'
import type { Attempt, IssueVerdict, StageRules } from '../../src/domain/stage/attempt.ts'

export const RULES: StageRules = {
  maxIterations: 3,
  solvedThreshold: 90,
  satisfactionThreshold: 95,
  challenge: true,
  verify: true,
  requiresWholeDiffScore: false,
  verifiesFreshCheckout: false,
  provesFixes: false,
}

/** A number is a score; a verdict may have blockers; null is a file of its own without a verdict. */
export type Verdicts = Readonly<Record<string, number | IssueVerdict | null>>

let made = 0

export function attempt(verdicts: Verdicts, more: Partial<Attempt> = {}): Attempt {
  made += 1
  const issues = Object.entries(verdicts).flatMap(([code, verdict]) =>
    verdict === null ? [] : [[code, typeof verdict === 'number' ? { score: verdict, blockers: 0 } : verdict] as const],
  )
  return {
    selections: [{ snapshot: `s${made}`, codes: Object.keys(verdicts).sort() }],
    tree: `t${made}`,
    owners: [],
    verification: 'passed',
    issues: Object.fromEntries(issues),
    feedbackKey: `words ${made}`,
    ...more,
  }
}

const CODES = ['A', 'B', 'C', 'D']

export const RandomCodes = fc.subarray(CODES, { minLength: 1 })

export const RandomAttempts = fc.array(
  fc
    .record({
      verdicts: fc.dictionary(
        fc.constantFrom(...CODES),
        fc.record({ score: fc.constantFrom(0, 60, 90, 94, 95, 100), blockers: fc.constantFrom(0, 0, 0, 1) }),
        { minKeys: 1 },
      ),
      owners: fc.array(fc.subarray(CODES, { minLength: 2 }), { maxLength: 2 }),
      verification: fc.constantFrom('passed' as const, 'failed' as const, 'unverified' as const),
      tree: fc.constantFrom('t', 'u', 'v'),
    })
    .map(({ verdicts, ...more }) => attempt(verdicts, more)),
  { maxLength: 5 },
)
