// The last verification before a commit: in a fresh checkout of exactly the tree that would be committed, so that nothing counts but
// that. What fails there has failed, whatever was said of the same tree before; each tree is asked about once. Where the first
// verification of a tree was in a fresh checkout already, there is no other.

import { type Attempt, codesIn } from '../../domain/stage/attempt.ts'
import { type KnotChoice, knotsOf } from '../../domain/stage/issue-groups.ts'
import { asFresh, noteProblems } from './judge-tree.ts'
import {
  attemptsOf,
  callName,
  freshWordOn,
  type Judged,
  type Ledger,
  latestIteration,
  noteFreshWord,
} from './stage-state.ts'

/** Answers with what holds of the tree now; in the ledger it replaces every other word on it. */
export async function verifyAfresh(ledger: Ledger, judged: Judged): Promise<Judged> {
  const { task, ports, head } = ledger
  const { picks, verification } = judged.attempt
  // Where no command proves anything, there is nothing to be proven again.
  if (!task.rules.fresh || verification !== 'passed' || freshWordOn(ledger, judged)) return judged
  const codes = codesIn(judged.attempt)
  const call = callName(ledger, `fresh${ledger.fresh.size + 1}`)
  const iteration = latestIteration(ledger, codes)
  const outcome = await ports.verify({ call, head, picks, codes, iteration, fresh: true })
  noteFreshWord(ledger, judged, call, {
    ...outcome,
    summary: `in a fresh checkout: ${outcome.summary}`,
    words: outcome.words ?? outcome.summary,
  })
  ledger.judged.splice(0, ledger.judged.length, ...ledger.judged.map((each) => asFresh(ledger, each)))
  const now = asFresh(ledger, judged)
  if (outcome.verdict === 'failed') ledger.asked.push({ verification: call })
  noteProblems(ledger, now)
  return now
}

/** The knots of a tree, to be taken back one by one. */
export function partsOf(ledger: Ledger, attempt: Attempt): KnotChoice[] {
  const owners = attemptsOf(ledger).flatMap((each) => each.owners)
  return knotsOf(codesIn(attempt), owners).map((knot) => ({ knot, attempt }))
}
