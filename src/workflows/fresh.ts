// The last verification before a commit: in a fresh checkout of exactly the tree that would be committed, so that nothing counts but
// that. What fails there has failed, whatever was said of the same tree before; each tree is asked about once.
import { type KnotChoice, knotsOf } from '../domain/knots.ts'
import { type Attempt, codesIn } from '../domain/stage.ts'
import { noteProblems } from './gates.ts'
import { attemptsOf, callName, type Judged, type Ledger, latestIteration } from './ledger.ts'

/** Answers with what holds of the tree now; in the ledger it replaces every other word on it. */
export async function verifyAfresh(ledger: Ledger, judged: Judged): Promise<Judged> {
  const { task, ports, head } = ledger
  const { tree, picks, verification } = judged.attempt
  const known = `${head} ${tree}`
  // Where no command proves anything, there is nothing to be proven again.
  if (!task.rules.fresh || verification !== 'passed' || ledger.fresh.has(known)) return judged
  ledger.fresh.add(known)
  const codes = codesIn(judged.attempt)
  const call = callName(ledger, `fresh${ledger.fresh.size}`)
  const iteration = latestIteration(ledger, codes)
  const { verdict, summary, words } = await ports.verify({ call, head, picks, codes, iteration, fresh: true })
  const feedback = verdict === 'failed' ? { feedback: words ?? summary } : {}
  const replaced = (each: Judged): Judged =>
    each.head === head && each.attempt.tree === tree
      ? { ...each, verification: call, attempt: { ...each.attempt, ...feedback, verification: verdict } }
      : each
  ledger.judged.splice(0, ledger.judged.length, ...ledger.judged.map(replaced))
  const now = replaced(judged)
  if (verdict === 'failed') ledger.asked.push({ verification: call })
  noteProblems(ledger, now, { verdict, tree, summary: `in a fresh checkout: ${summary}` })
  return now
}

/** The knots of a tree, to be taken back one by one. */
export function partsOf(ledger: Ledger, attempt: Attempt): KnotChoice[] {
  const owners = attemptsOf(ledger).flatMap((each) => each.owners)
  return knotsOf(codesIn(attempt), owners).map((knot) => ({ knot, attempt }))
}
