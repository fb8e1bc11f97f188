// The loop of one stage, free of Temporal: rounds of fixing and judging until the rules say stop, then what has passed every
// gate is put together, judged as the tree it then is, and committed. What did not pass is simply never taken over: every
// tree is composed from the stage's base, so there is nothing to revert.

import type { Ending } from '../../domain/protocol/index.ts'
import { type Composition, isApproved, wholeDiffPasses } from '../../domain/stage/attempt.ts'
import { chooseBest, compose, type KnotChoice, keepable } from '../../domain/stage/issue-groups.ts'
import { nextRound, type Round } from '../../domain/stage/next-round.ts'
import { land } from './commit-stage.ts'
import { runRound } from './fix-round.ts'
import type { StagePorts } from './ports.ts'
import { bestJudged, settle } from './select-passing-parts.ts'
import {
  attemptsOf,
  codesInPlay,
  type Ledger,
  latestIteration,
  openLedger,
  type StageResult,
  type StageTask,
} from './stage-state.ts'
import { verifyAfresh } from './verify-fresh-checkout.ts'

export async function runStage(task: StageTask, ports: StagePorts): Promise<StageResult> {
  const ledger = openLedger(task, ports)
  const end = await goRounds(ledger)
  if (end === 'accepted') return await land(ledger, ledger.judged.at(-1))
  const { kept, stop } = await choose(ledger, end === 'over' ? undefined : end)
  const unsettled = await settle(ledger, 'settle', kept)
  return await land(ledger, bestJudged(ledger), stop ?? unsettled)
}

async function goRounds(ledger: Ledger): Promise<'accepted' | 'over' | Ending> {
  let codes = ledger.codes
  let start: Composition = { picks: [], owners: [] }
  for (let iteration = 1; ; iteration += 1) {
    const stop = await runRound(ledger, { name: `i${iteration}`, iteration, codes, start })
    if (stop) return stop
    let next = roundAfter(ledger, iteration)
    const latest = ledger.judged.at(-1)
    if (next.kind === 'accepted' && latest) {
      await verifyAfresh(ledger, latest)
      next = roundAfter(ledger, iteration)
    }
    if (next.kind !== 'again') return next.kind
    ;({ codes, start } = next)
  }
}

function roundAfter(ledger: Ledger, iterationsUsed: number): Round {
  const ended = new Set(ledger.ended.keys())
  const soFar = { codes: codesInPlay(ledger), ended, attempts: attemptsOf(ledger), iterationsUsed }
  return nextRound(soFar, ledger.task.rules)
}

/** What is worth keeping, after one more round for those whom only another issue held back: once per stage, and final. */
async function choose(
  ledger: Ledger,
  stop?: Ending,
): Promise<{ kept: readonly KnotChoice[]; stop?: Ending | undefined }> {
  const { rules } = ledger.task
  const attempts = attemptsOf(ledger)
  // Where the whole diff has a score of its own and never reached it, there are no parts to be saved.
  if (!attempts.some((attempt) => wholeDiffPasses(attempt, rules))) return { kept: [], stop }

  const codes = codesInPlay(ledger)
  const kept = keepable(codes, attempts, rules)
  const safe = kept.flatMap(({ knot }) => knot)
  const held = chooseBest(codes, attempts, rules)
    .flatMap(({ knot, attempt }) => knot.filter((code) => isApproved(code, attempt, rules)))
    .filter((code) => !safe.includes(code) && !ledger.ended.has(code))
  if (stop || held.length === 0) return { kept, stop }

  const iteration = latestIteration(ledger, ledger.codes) + 1
  const failed = await runRound(ledger, { name: 'extra', iteration, codes: held, start: compose(kept) })
  const more = keepable([...safe, ...held], attemptsOf(ledger), rules)
  const costsNobody = safe.every((code) => more.some(({ knot }) => knot.includes(code)))
  return { kept: costsNobody ? more : kept, stop: failed }
}
