// Checks whether a fix's tests fail without the fix, in a checkout of the base plus only these tests. The result is
// evidence for the commit and the report; an error here never stops a fix.

import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { fixProofResult } from '../../domain/session/events/verification-events.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { RegressionProof } from '../../domain/verification/gate-record.ts'
import { createUnprovenProof, deriveRegressionProof } from '../../domain/verification/regression-proof.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import type { GateInput, ProofOutcome } from '../../domain/workflow-types/index.ts'
import { buildTreeFromSelections } from '../../platform/git/workspace/commits.ts'
import { listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { appendEvents } from '../append-events.ts'
import {
  type ActivityContext,
  type Heartbeat,
  issueEventFields,
  loadSession,
  loadWorkspace,
  type Session,
} from '../context.ts'
import { type ComposedTree, composeTree } from '../fix/compose-tree.ts'
import { listRunsOnTree, loadGateRecord, storeGateRecord } from '../gate-records.ts'
import { baselineStepId, loadBaseline } from './baseline.ts'
import { runChecks } from './run-checks.ts'
import type { VerifyContext } from './run-command.ts'

/** An accident may be over at the next attempt; after the last one the fix goes on without its proof. */
const MAX_ATTEMPTS = 3

export async function proveFix(
  context: ActivityContext,
  input: GateInput,
  heartbeat: Heartbeat,
): Promise<ProofOutcome> {
  try {
    return await loadOrRunProof(context, input, heartbeat)
  } catch (error) {
    heartbeat.signal.throwIfAborted()
    const isLasting = error instanceof ApplicationFailure && error.nonRetryable
    if (!isLasting && activityInfo().attempt < MAX_ATTEMPTS) throw error
    const proof = createUnprovenProof({ codes: [...input.codes], files: [] }, describeProofError(error))
    // If even that can't be recorded, the next step will report why.
    await loadSession(context, input.sessionId)
      .then((session) => storeProof(context, session, input.stepId, { tree: '', proof }))
      .catch(() => undefined)
    return { verdict: proof.verdict }
  }
}

async function loadOrRunProof(context: ActivityContext, input: GateInput, heartbeat: Heartbeat): Promise<ProofOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id, input.lane)
  const at: VerifyContext = { context, session, workspace, heartbeat }
  const composed = await composeTree(workspace, input.head, input.selections)
  const known = await loadGateRecord(context, session, input.stepId)
  const proof = known?.tree === composed.tree && known.proof ? known.proof : await runProof(at, { input, composed })
  await storeProof(context, session, input.stepId, { tree: composed.tree, proof })
  return { verdict: proof.verdict }
}

async function storeProof(
  context: ActivityContext,
  session: Session,
  stepId: string,
  { tree, proof }: { readonly tree: string; readonly proof: RegressionProof },
): Promise<void> {
  await storeGateRecord(context, session, stepId, { tree, proof })
  const [only, ...others] = proof.codes
  const about = only !== undefined && others.length === 0 ? issueEventFields(session, only) : {}
  await appendEvents(context, session.id, [fixProofResult(stepId, { ...proof, tree }, about)])
}

function describeProofError(error: unknown): string {
  return `it could not be looked at: ${truncateText(error instanceof Error ? error.message : String(error), 300)}`
}

interface ProofInput {
  readonly input: GateInput
  readonly composed: ComposedTree
}

async function runProof(at: VerifyContext, { input, composed }: ProofInput): Promise<RegressionProof> {
  const { context, session, workspace } = at
  const { stepId, codes, head } = input
  const selections = input.selections.map(({ snapshot, codes: all }) => ({
    snapshot,
    codes: all.filter((code) => codes.includes(code)),
  }))
  // Alone, so that of a shared test file only the parts of these issues are there.
  const own = await composeTree(workspace, head, selections)
  const paths = await findOwnTests(session, workspace, { head, own })
  const about = { codes: [...codes], files: paths.now }
  if (paths.now.length === 0) return deriveRegressionProof(about, undefined)
  const tree = await buildTreeFromSelections(workspace, head, [
    { from: own.tree, paths: [...paths.now, ...paths.before] },
  ])
  // All commands run: one that was red before must not hide one that this test turns red.
  const asked = { stepId, head, tree, inFreshCheckout: true }
  const withoutFix = await runChecks(at, asked)
  const base = await loadBaseline(context, session, baselineStepId(session, head))
  const known = await listRunsOnTree(context, session, stepId, composed.tree)
  return deriveRegressionProof(about, { base: base.runs, withoutFix, withFix: [...known.values()] })
}

/** The tests among these issues' changes, and the old paths of renamed ones. */
async function findOwnTests(
  { settings }: Session,
  workspace: Workspace,
  { head, own }: { readonly head: string; readonly own: ComposedTree },
): Promise<{ readonly now: string[]; readonly before: string[] }> {
  const isTest = createTestFileMatcher(settings.verification.tests)
  const changed = await listChanges(workspace, head, own.tree)
  const tests = changed.filter(
    ({ path, kind }) => kind !== 'deleted' && isTest(path) && Object.hasOwn(own.owners, path),
  )
  return { now: tests.map(({ path }) => path), before: tests.flatMap(({ from }) => from ?? []) }
}
