// From what was chosen to a tree that may be committed: parts are taken back until what is left has passed every gate as
// itself. Answers with an ending where the gates can't be asked any more; what had passed before then still counts.
// A limit of the session ends that only for parts that had not passed: those that had are judged without them, once for each that
// is taken back at most, and no fixer is asked.

import type { Ending } from '../../domain/protocol/index.ts'
import { codesIn, isApproved, isSolved, scoresOf } from '../../domain/stage/attempt.ts'
import { bestTree, compose, type KnotChoice } from '../../domain/stage/issue-groups.ts'
import { judge } from './judge-tree.ts'
import { attemptsOf, type Judged, type Ledger, verdictOn } from './stage-state.ts'

export async function settle(ledger: Ledger, name: string, chosen: readonly KnotChoice[]): Promise<Ending | undefined> {
  const { rules } = ledger.task
  let kept = chosen
  let cut: Ending | undefined
  for (let turn = 1; kept.length > 0; turn += 1) {
    const made = compose(kept)
    const passed = kept.filter(({ knot, attempt }) => knot.every((code) => isSolved(code, attempt, rules)))
    const settles = passed.length === kept.length
    const stop = verdictOn(ledger, made.picks)
      ? undefined
      : await judge(ledger, { ...made, tree: '' }, { name: `${name}${turn}`, cheaply: true, settles })
    if (stop) {
      if (settles) ledger.lost = { codes: codesIn(made), reason: stop.detail }
      if (settles || stop.class !== 'budget' || !ledger.ports.patched('settle-at-a-limit')) return stop
      cut = stop
      kept = passed
      continue
    }
    const attempt = verdictOn(ledger, made.picks)?.attempt
    if (!attempt) return cut
    const approved = kept.filter(({ knot }) => knot.every((code) => isApproved(code, attempt, rules)))
    if (attempt.verification === 'failed') kept = withoutWeakest(kept)
    else if (approved.length < kept.length) kept = approved
    else return cut
  }
  return cut
}

/** Verification names no issue, so the lowest score is suspected first, and among equals the last. */
function withoutWeakest(kept: readonly KnotChoice[]): KnotChoice[] {
  const strength = ({ knot, attempt }: KnotChoice): number => Math.min(...scoresOf(knot, attempt))
  const lowest = Math.min(...kept.map(strength))
  const weakest = kept.findLast((choice) => strength(choice) === lowest)
  return kept.filter((choice) => choice !== weakest)
}

/** The best of the trees that passed every gate, whichever way they came about. None changes anything for a false positive. */
export function bestJudged(ledger: Ledger): Judged | undefined {
  const attempts = attemptsOf(ledger).filter((attempt) => !codesIn(attempt).some((code) => ledger.agreed.has(code)))
  const best = bestTree(attempts, ledger.task.rules)
  return best && ledger.judged.findLast(({ attempt }) => attempt === best)
}
