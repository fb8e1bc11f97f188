// Asks for each issue group of a tree that is about to be committed whether its own tests prove it. Each tree is asked about once, and
// none once the session's time is over, which also ends a running proof.

import { formatStepId } from '../../domain/session/step-id.ts'
import { type Attempt, listSelectedCodes } from '../../domain/stage/attempt.ts'
import { groupIssues } from '../../domain/stage/issue-groups.ts'
import { findLatestIteration, type StageState } from './stage-state.ts'

/** The step ids of the proofs; empty where proofs are off, or no command says that the tree passes. */
export async function proveIssueGroups(state: StageState, attempt: Attempt): Promise<readonly string[]> {
  const { task, ports, head, proofs } = state
  if (!task.rules.provesFixes || attempt.verification !== 'passed') return []
  const tree = `${head} ${attempt.tree}`
  const known = proofs.get(tree)
  if (known) return known
  const calls: string[] = []
  for (const [index, codes] of groupIssues(listSelectedCodes(attempt), attempt.owners).entries()) {
    // Once the time is over, the tree is committed without further proofs.
    if (ports.now() >= (ports.endsAt() ?? Number.POSITIVE_INFINITY)) break
    const stepId = formatStepId({ kind: 'prove', stage: task.number, turn: proofs.size + 1, group: index + 1 })
    await ports.prove({
      stepId,
      head,
      selections: attempt.selections,
      codes,
      iteration: findLatestIteration(state, codes),
    })
    calls.push(stepId)
  }
  proofs.set(tree, calls)
  return calls
}
