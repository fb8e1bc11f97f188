// Looks whether the tests that came with a fix fail without it: in a folder of its own, made from git's objects, that holds the base and
// of the fix only its tests. What comes of it is evidence for the commit and the report; nothing that goes wrong here stops a fix.
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { JudgeInput, ProofOutcome } from '../../domain/protocol/index.ts'
import { pathsOwnedBy } from '../../domain/stage/change-owners.ts'
import { cut } from '../../domain/text/cut.ts'
import type { RegressionProof } from '../../domain/verification/compare-runs.ts'
import { notProven, proofOf } from '../../domain/verification/regression-proof.ts'
import { testFiles } from '../../domain/verification/test-files.ts'
import { compose } from '../../platform/git/workspace/commits.ts'
import { changes } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { tell } from '../append-events.ts'
import { aboutIssue, loadSession, type Session, type Workshop, workspaceOf } from '../context.ts'
import { type Composed, composeTree } from '../fix/compose-tree.ts'
import { keepGate, readGate, runsOn } from '../gate-records.ts'
import type { Beat } from '../heartbeat.ts'
import { groundOf, runsOnGround } from './baseline.ts'
import { runChecks } from './run-checks.ts'

/** An accident may be over the next time; after that the fix goes on without its proof. */
const MOST_ATTEMPTS = 3

export async function proveFix(shop: Workshop, input: JudgeInput, beat: Beat): Promise<ProofOutcome> {
  try {
    return await findProof(shop, input, beat)
  } catch (error) {
    beat.signal.throwIfAborted()
    const isLasting = error instanceof ApplicationFailure && error.nonRetryable
    if (!isLasting && activityInfo().attempt < MOST_ATTEMPTS) throw error
    const proof = notProven({ codes: [...input.codes], files: [] }, unseen(error))
    // Where even that can't be written down, whatever comes next will say so.
    await loadSession(shop, input.sessionId)
      .then((session) => keepProof(shop, session, input.call, { tree: '', proof }))
      .catch(() => undefined)
    return { verdict: proof.verdict }
  }
}

async function findProof(shop: Workshop, input: JudgeInput, beat: Beat): Promise<ProofOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, session.id)
  const composed = await composeTree(workspace, input.head, input.picks)
  const known = await readGate(shop, session, input.call)
  const proof =
    known?.tree === composed.tree && known.proof
      ? known.proof
      : await look(shop, session, workspace, { input, composed }, beat)
  await keepProof(shop, session, input.call, { tree: composed.tree, proof })
  return { verdict: proof.verdict }
}

async function keepProof(
  shop: Workshop,
  session: Session,
  call: string,
  { tree, proof }: { readonly tree: string; readonly proof: RegressionProof },
): Promise<void> {
  await keepGate(shop, session, call, { tree, proof })
  const [only, ...others] = proof.codes
  await tell(shop, session.id, [
    {
      key: `${call}/proof`,
      type: 'fix_proof_result',
      ...(only !== undefined && others.length === 0 ? aboutIssue(session, only) : {}),
      message: `${proof.codes.join(', ')} · ${proof.verdict === 'proven' ? 'proven' : 'not proven'}: ${proof.why}`,
      data: { ...proof, tree },
    },
  ])
}

function unseen(error: unknown): string {
  return `it could not be looked at: ${cut(error instanceof Error ? error.message : String(error), 300)}`
}

interface Question {
  readonly input: JudgeInput
  readonly composed: Composed
}

async function look(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, composed }: Question,
  beat: Beat,
): Promise<RegressionProof> {
  const { call, codes, head } = input
  const paths = await testsOf(session, workspace, { input, composed })
  const about = { codes: [...codes], files: paths.now }
  if (paths.now.length === 0) return proofOf(about, undefined)
  const tree = await compose(workspace, head, [{ from: composed.tree, paths: [...paths.now, ...paths.before] }])
  const { verification } = session.settings
  // All of them: what was red before must not hide what this test turns red.
  const patient = { ...session, settings: { ...session.settings, verification: { ...verification, fail_fast: false } } }
  const asked = { ...input, fresh: true } as const
  const { verification: without } = await runChecks(shop, patient, workspace, { input: asked, tree }, beat)
  const base = await runsOnGround(shop, session, groundOf(session, head))
  const known = await runsOn(shop, session, call, composed.tree)
  return proofOf(about, { base, without, with: [...known.values()] })
}

/** Of these issues' own changes, the tests: as they are now, and the names that renamed ones had. */
async function testsOf(
  { settings }: Session,
  workspace: Workspace,
  { input, composed }: Question,
): Promise<{ readonly now: string[]; readonly before: string[] }> {
  const isTest = testFiles(settings.verification.tests)
  const own = new Set(pathsOwnedBy(composed.owners, input.codes))
  const changed = await changes(workspace, input.head, composed.tree)
  const tests = changed.filter(({ path, kind }) => kind !== 'deleted' && isTest(path) && own.has(path))
  return { now: tests.map(({ path }) => path), before: tests.flatMap(({ from }) => from ?? []) }
}
