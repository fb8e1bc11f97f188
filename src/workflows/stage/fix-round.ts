// One round: the fixer's call of every batch, each on top of the one before, then the gates on the tree that came of it.
// What a call can't have changed is still taken from where it was: the same work stays recognisable from round to round.
import { isOfIssue } from '../../domain/budget/limits.ts'
import { type Batch, codesOfBatch } from '../../domain/plan/plan.ts'
import type { Conversation, Ending, FixOutcome, FixWork } from '../../domain/protocol/index.ts'
import { type Composition, codesIn } from '../../domain/stage/attempt.ts'
import { knotsOf } from '../../domain/stage/issue-groups.ts'
import { patiently } from '../provider-backoff.ts'
import { type Claim, claimsIn } from './false-positive-claims.ts'
import { hear, judge } from './judge-tree.ts'
import { attemptsOf, callName, endSpent, gateCalls, type Ledger, verdictOn } from './stage-state.ts'

interface RoundPlan {
  readonly name: string
  readonly iteration: number
  readonly codes: readonly string[]
  /** The tree to work on. */
  readonly start: Composition
}

/** Work for one call of the fixer. */
interface Task {
  readonly batch: Batch
  readonly codes: readonly string[]
  readonly call: string
}

export async function runRound(ledger: Ledger, round: RoundPlan): Promise<Ending | undefined> {
  const { task, ports, head } = ledger
  const { name, iteration, start } = round
  const feedback = gateCalls(ledger, verdictOn(ledger, start.picks))
  let made = start
  let last: FixOutcome | undefined
  let hasWorked = false
  let cut: Ending | undefined
  const spent: Record<string, string> = {}
  const claims: Claim[] = []
  const todo = task.stage.batches.map((batch, index): Task => {
    return { batch, codes: codesOfBatch(batch), call: callName(ledger, `${name}.b${index + 1}.fix`) }
  })
  for (let next = todo.shift(); next; next = todo.shift()) {
    const { batch } = next
    const codes = next.codes.filter((code) => round.codes.includes(code) && !ledger.ended.has(code))
    if (codes.length === 0) continue
    const before = made
    const fix = (call: string, interrupted: FixOutcome | undefined): Promise<FixOutcome> => {
      // What reaches outside of the scope is built on as well: the next snapshot asks about all that nobody has let through.
      const from = interrupted ? takeOver(ledger, before, codes, interrupted.work).made : before
      const resume = conversationFor(ledger, codes, before)
      const { brief } = task
      const step = { call, head, stage: task.number, batch, iteration, codes, start: from.picks, feedback }
      return ports.fix({ ...step, ...(brief ? { brief } : {}), ...(resume ? { resume } : {}) })
    }
    const answer = await patiently(next.call, task.clocks, ports, fix)
    if (answer.kind === 'stop' && !canBeJudged(ledger, answer.outcome)) return answer.ending
    if (answer.kind === 'stop') cut = answer.ending

    last = answer.outcome
    Object.assign(spent, last.spent)
    hasWorked ||= last.failure === undefined
    if (last.conversation) ledger.conversations.set(answer.call, last.conversation)
    const { outOfScope, violations, asking = [] } = last.work
    const decided = asking.length > 0 ? await ports.decideScope(answer.call) : undefined
    const barred = [...outOfScope, ...(decided?.barred ?? [])]
    const taken = takeOver(ledger, before, codes, { ...last.work, outOfScope: barred })
    made = taken.made
    const rest = othersThan(ledger, codes, last)
    note(
      ledger,
      codes.filter((code) => !rest.includes(code)),
      last,
    )
    if (rest.length > 0) todo.unshift({ batch, codes: rest, call: `${next.call}.rest` })
    claims.push(...claimsIn(codes, last))
    const touched = `the fix touched what it may not: ${violations.slice(0, 5).join(', ')}`
    for (const knot of taken.violating) {
      const reason = decided && !knot.some((code) => outOfScope.includes(code)) ? decided.reason : touched
      for (const code of knot) ledger.ended.set(code, { class: 'verdict', reason })
    }
    if (cut) break
  }
  if (!last) return undefined
  const stop = await judgeMade(ledger, { name, made, tree: last.work.tree, hasWorked, claims })
  endSpent(ledger, spent)
  return stop ?? cut
}

interface Made {
  readonly name: string
  readonly made: Composition
  readonly tree: string
  readonly hasWorked: boolean
  readonly claims: readonly Claim[]
}

async function judgeMade(ledger: Ledger, { name, made, tree, hasWorked, claims }: Made): Promise<Ending | undefined> {
  const inTree = codesIn(made)
  const open = claims.filter(({ code }) => !ledger.ended.has(code) && !inTree.includes(code))
  if (inTree.length > 0) {
    const same =
      verdictOn(ledger, made.picks) ??
      ledger.judged.findLast(({ attempt }) => attempt.tree === tree && codesIn(attempt).length === inTree.length)
    if (!same) return await judge(ledger, { ...made, tree }, { name, claims: open })
    // A tree that was judged keeps its verdict: to ask again would only buy another opinion. A crash is not even an attempt.
    if (hasWorked) ledger.judged.push(same)
  }
  return open.length > 0 ? await hear(ledger, name, open) : undefined
}

/** What a call made before its budget ended it is judged where the gates cost nothing. */
function canBeJudged({ task: { rules } }: Ledger, { failure, work }: FixOutcome): boolean {
  const isSpent = failure?.class === 'budget' && failure.limit !== 'session_seconds'
  return isSpent && !rules.challenge && (work.asking ?? []).length === 0
}

/** The tree after a call: from its snapshot what it worked on and what shares files with that, the rest from where it was. */
function takeOver(ledger: Ledger, before: Composition, codes: readonly string[], work: FixWork) {
  const owners = [...before.owners, ...work.owners, ...attemptsOf(ledger).flatMap((attempt) => attempt.owners)]
  const knots = knotsOf(ledger.codes, owners)
  const isAmong = (some: readonly string[]) => (knot: readonly string[]) => knot.some((code) => some.includes(code))
  const violating = knots.filter(isAmong(work.outOfScope))
  const touched = knots.filter(isAmong(codes)).flat()
  const fresh = touched.filter((code) => (work.issues[code]?.files ?? 0) > 0 && !violating.flat().includes(code))
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

/** The one that made the tree these issues start from; where that was thrown away, the one in which it was planned. */
function conversationFor(
  { conversations, task }: Ledger,
  codes: readonly string[],
  { picks }: Composition,
): Conversation | undefined {
  const snapshots = picks.filter((pick) => pick.codes.some((code) => codes.includes(code))).map((pick) => pick.snapshot)
  const [only] = snapshots
  const own = snapshots.length === 1 && only !== undefined ? conversations.get(only) : undefined
  return own ?? task.planned
}

/** Where the budget of some of them ended the call, it was not the others' doing: they are asked about again, without those. */
function othersThan({ ports }: Ledger, codes: readonly string[], { failure, spent = {} }: FixOutcome): string[] {
  if (failure?.class !== 'budget' || !isOfIssue(failure.limit)) return []
  const others = codes.filter((code) => spent[code] === undefined)
  const isSome = others.length > 0 && others.length < codes.length
  return isSome && ports.patched('ask-for-the-rest') ? others : []
}

function note({ problems, iterations }: Ledger, codes: readonly string[], { work, failure }: FixOutcome): void {
  for (const code of codes) {
    iterations.set(code, (iterations.get(code) ?? 0) + 1)
    const own = work.issues[code]
    const excuse = own?.claim ? `no changes applied (${own.claim}: ${own.note})` : own?.note
    const reason = failure?.detail ?? (own?.files ? undefined : excuse || 'no changes applied')
    if (reason) problems.set(code, { class: 'no_usable_work', reason })
  }
}
