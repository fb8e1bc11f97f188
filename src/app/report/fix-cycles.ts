// Builds the cycles of fixing and verifying that the source documents define. A cycle is one round of one stage.

import { calculateSpending, roundTokens } from '../../domain/budget/spending.ts'
import { formatStepId, parseStepId } from '../../domain/session/step-id.ts'
import { listDiffPaths } from '../../domain/text/unified-diff.ts'
import { findLastRunOnTree, type SessionData } from './load-session-data.ts'
import type { FixCycle } from './report-model.ts'

export async function buildFixCycles(material: SessionData): Promise<FixCycle[]> {
  const rounds = Map.groupBy(
    material.calls.filter(({ isFix }) => isFix),
    ({ key }) => toRoundVerification(key),
  )
  const cycles: FixCycle[] = []
  for (const [round, calls] of rounds) cycles.push(await buildFixCycle(material, cycles.length + 1, round, calls))
  return cycles
}

/** Maps a fix to the verification step of its round, which identifies the round. */
export function toRoundVerification(fixStepId: string): string | undefined {
  const step = parseStepId(fixStepId)
  return step?.kind === 'fix' ? formatStepId({ kind: 'verify', stage: step.stage, tree: step.round_name }) : undefined
}

function sumSpending(calls: SessionData['calls']) {
  const { cost_usd, cost_partial = false, tokens } = roundTokens(calculateSpending(calls))
  return { cost_usd, cost_partial, tokens }
}

async function buildFixCycle(
  material: SessionData,
  cycle: number,
  verifyStepId: string | undefined,
  calls: SessionData['calls'],
): Promise<FixCycle> {
  const { gates, verificationIn } = material
  const diffs = material.diffs.filter(({ name }) => toRoundVerification(name) === verifyStepId)
  const changed = await Promise.all(diffs.map(({ ref }) => material.kept(ref)))
  const own = gates.find(({ stepId, evidence }) => evidence.verification && stepId === verifyStepId)
  const verified = findLastRunOnTree(gates, own)
  const { verdict, commands } = verified ? verificationIn(verified) : {}
  return {
    cycle,
    agentResult: {
      calls: calls.map(({ key }) => key),
      issues: [...new Set(calls.flatMap(({ key }) => material.findIssueCodes(key)))],
      success: calls.some(({ reply_ref }) => reply_ref !== undefined),
      ...sumSpending(calls),
    },
    verification: verdict && commands ? { passed: verdict === 'passed', verdict, commands } : null,
    diffAfterFix: {
      refs: diffs.map(({ ref }) => ref),
      files: [...new Set(changed.flatMap((diff) => diff?.files.flatMap(listDiffPaths) ?? []))],
    },
    note: changed.length > 0 && changed.every((diff) => diff?.files.length === 0) ? 'no changes applied' : null,
    duration: calls.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0),
  }
}
