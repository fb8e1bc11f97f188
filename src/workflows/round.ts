// One round: the fixer's call of every batch, each on top of the one before, then the gates on the tree that came of it.
// What a call can't have changed is still taken from where it was: the same work stays recognisable from round to round.
import { knotsOf } from '../domain/knots.ts'
import { codesOfBatch } from '../domain/plan.ts'
import type { Ending, FixOutcome, FixWork } from '../domain/protocol.ts'
import { type Composition, codesIn } from '../domain/stage.ts'
import { judge } from './gates.ts'
import { attemptsOf, callName, gateCalls, type Ledger, verdictOn } from './ledger.ts'
import { patiently } from './patience.ts'

interface RoundPlan {
  readonly name: string
  readonly iteration: number
  readonly codes: readonly string[]
  /** The tree to work on. */
  readonly start: Composition
}

export async function runRound(ledger: Ledger, round: RoundPlan): Promise<Ending | undefined> {
  const { task, ports, head } = ledger
  const { name, iteration, start } = round
  const feedback = gateCalls(ledger, verdictOn(ledger, start.picks))
  let made = start
  let last: FixOutcome | undefined
  let hasWorked = false
  for (const [index, batch] of task.stage.batches.entries()) {
    const codes = codesOfBatch(batch).filter((code) => round.codes.includes(code) && !ledger.ended.has(code))
    if (codes.length === 0) continue
    const before = made
    const fix = (call: string, interrupted: FixOutcome | undefined): Promise<FixOutcome> => {
      const from = interrupted ? takeOver(ledger, before, codes, interrupted.work).made : before
      return ports.fix({ call, head, stage: task.number, batch, iteration, codes, start: from.picks, feedback })
    }
    const answer = await patiently(callName(ledger, `${name}.b${index + 1}.fix`), task.clocks, ports, fix)
    if (answer.kind === 'stop') return answer.ending

    last = answer.outcome
    hasWorked ||= last.failure === undefined
    const taken = takeOver(ledger, before, codes, last.work)
    made = taken.made
    note(ledger, codes, last, taken.violating)
  }
  if (!last || made.picks.length === 0) return undefined

  const { tree } = last.work
  const size = codesIn(made).length
  const same =
    verdictOn(ledger, made.picks) ??
    ledger.judged.findLast(({ attempt }) => attempt.tree === tree && codesIn(attempt).length === size)
  if (!same) return await judge(ledger, { ...made, tree }, { name })
  // A tree that was judged keeps its verdict: to ask again would only buy another opinion. A crash is not even an attempt.
  if (hasWorked) ledger.judged.push(same)
  return undefined
}

/** The tree after a call: from its snapshot what it worked on and what shares files with that, the rest from where it was. */
function takeOver(ledger: Ledger, before: Composition, codes: readonly string[], work: FixWork) {
  const owners = [...before.owners, ...work.owners, ...attemptsOf(ledger).flatMap((attempt) => attempt.owners)]
  const knots = knotsOf(ledger.codes, owners)
  const isAmong = (some: readonly string[]) => (knot: readonly string[]) => knot.some((code) => some.includes(code))
  const violating = knots.filter(isAmong(work.outOfScope)).flat()
  const touched = knots.filter(isAmong(codes)).flat()
  const fresh = touched.filter((code) => (work.issues[code]?.files ?? 0) > 0 && !violating.includes(code))
  const carried = before.picks.map(({ snapshot, codes: own }) => ({
    snapshot,
    codes: own.filter((code) => !touched.includes(code)),
  }))
  const made: Composition = {
    picks: [...carried, { snapshot: work.snapshot, codes: fresh }].filter((pick) => pick.codes.length > 0),
    owners: [...before.owners.filter((set) => !isAmong(touched)(set)), ...work.owners],
  }
  return { made, violating }
}

function note(
  { problems, ended, iterations }: Ledger,
  codes: readonly string[],
  { work, failure }: FixOutcome,
  violating: readonly string[],
): void {
  for (const code of codes) {
    iterations.set(code, (iterations.get(code) ?? 0) + 1)
    const own = work.issues[code]
    const reason = failure?.detail ?? (own?.files ? undefined : own?.note || 'no changes applied')
    if (reason) problems.set(code, { class: 'no_usable_work', reason })
  }
  const reason = `the fix touched what it may not: ${work.violations.slice(0, 5).join(', ')}`
  for (const code of violating) ended.set(code, { class: 'verdict', reason })
}
