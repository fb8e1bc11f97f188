// From a tree that passed to a commit on the branch. The branch belongs to people, too: where it is checked out it is waited
// for, and where somebody committed on it meanwhile the work is merged onto that and has to pass the gates again.

import type { Ending } from '../../domain/protocol/index.ts'
import { codesIn, passesEveryGate } from '../../domain/stage/attempt.ts'
import { keepable } from '../../domain/stage/issue-groups.ts'
import { judge } from './judge-tree.ts'
import { prove } from './regression-proof.ts'
import { bestJudged, settle } from './select-passing-parts.ts'
import {
  attemptsOf,
  callName,
  closeLedger,
  type Judged,
  type Ledger,
  latestIteration,
  type StageResult,
} from './stage-state.ts'
import { partsOf, verifyAfresh } from './verify-fresh-checkout.ts'

export async function land(ledger: Ledger, chosen: Judged | undefined, stop?: Ending): Promise<StageResult> {
  const { task, ports } = ledger
  const started = ports.now()
  let judged = chosen
  let ending = stop
  for (let turn = 1; judged; turn += 1) {
    const { attempt, challenge } = await verifyAfresh(ledger, judged)
    if (!passesEveryGate(attempt, task.rules)) {
      const failed = await settle(ledger, `fresh${ledger.fresh.size}.settle`, partsOf(ledger, attempt))
      ending ??= failed
      judged = bestJudged(ledger)
      continue
    }
    const codes = codesIn(attempt)
    const proofs = await prove(ledger, attempt)
    const call = callName(ledger, turn === 1 ? 'commit' : `commit${turn}`)
    const outcome = await ports.commit({
      call,
      head: ledger.head,
      picks: attempt.picks,
      codes,
      iteration: latestIteration(ledger, codes),
      tree: attempt.tree,
      challenge,
      verified: attempt.verification,
      ...(proofs.length > 0 ? { proofs } : {}),
      at: ports.now(),
      iterations: Object.fromEntries(ledger.iterations),
    })
    if (outcome.kind === 'committed') {
      ledger.head = outcome.sha
      return closeLedger(ledger, { sha: outcome.sha, codes: outcome.codes, attempt }, ending)
    }
    if (outcome.kind === 'moved') {
      const failed = await mergeOnto(ledger, judged, { name: `merge${turn}`, onto: outcome.head })
      ending ??= failed
      judged = bestJudged(ledger)
      continue
    }
    const why = `the branch is checked out at ${outcome.where}: switch that checkout to another branch`
    if (ports.now() - started > task.clocks.giveUpAfterSeconds * 1000) {
      return closeLedger(ledger, undefined, ending ?? { class: 'infrastructure', detail: why })
    }
    await ports.wait(`${call}.wait`, why, ports.now() + pauseAfter(turn))
  }
  return closeLedger(ledger, undefined, ending)
}

/** Milliseconds between two looks at the branch: soon at first, every ten minutes in the end. */
function pauseAfter(turn: number): number {
  return Math.min(turn ** 2 * 2, 600) * 1000
}

async function mergeOnto(
  ledger: Ledger,
  { attempt: { picks } }: Judged,
  { name, onto }: { readonly name: string; readonly onto: string },
): Promise<Ending | undefined> {
  const { task, ports } = ledger
  const codes = picks.flatMap((pick) => pick.codes)
  const call = callName(ledger, name)
  const outcome = await ports.merge({ call, head: ledger.head, picks, codes, onto, at: ports.now() })
  ledger.head = onto
  if (outcome.kind === 'conflict') {
    const reason = `conflicts with a commit made on the branch meanwhile, in ${outcome.paths.slice(0, 5).join(', ')}`
    for (const code of codes) ledger.ended.set(code, { class: 'verdict', reason })
    return undefined
  }
  const { snapshot, tree, owners, issues } = outcome.work
  const left = codes.filter((code) => issues[code]?.files)
  for (const code of codes.filter((each) => !left.includes(each))) {
    ledger.problems.set(code, { class: 'verdict', reason: 'the branch holds these changes already' })
  }
  if (left.length === 0) return undefined
  const stop = await judge(ledger, { picks: [{ snapshot, codes: left }], owners, tree }, { name, settles: true })
  if (stop) ledger.lost = { codes: left, reason: stop.detail }
  return stop ?? (await settle(ledger, `${name}.settle`, keepable(left, attemptsOf(ledger), task.rules)))
}
