// Runs the checks on a fix with all tests that it changed, and what runs them, as they were on the stage's base. A fix may not turn
// green by making the tests milder.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import { logOldTestsRun } from '../../domain/session/events/logs/verification-logs.ts'
import { isChallenged } from '../../domain/settings/schema.ts'
import { listPathsOwnedBy, type Owners } from '../../domain/stage/change-owners.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { OldTestsResult } from '../../domain/verification/gate-record.ts'
import {
  describeOldTestFailures,
  formatTestGrant,
  listEnds,
  listOldTestFailures,
  listUnprovenCommands,
  type OldTestFailure,
} from '../../domain/verification/old-tests.ts'
import type { GateInput, OldTestsOutcome } from '../../domain/workflow-types/index.ts'
import { resolveTree } from '../../platform/git/compare-trees.ts'
import { buildTreeFromSelections } from '../../platform/git/workspace/commits.ts'
import { listChanges } from '../../platform/git/workspace/diff.ts'
import { appendEvents } from '../append-events.ts'
import { findOffTarget } from '../challenge/flag-doubtful-changes.ts'
import { type ActivityContext, type Heartbeat, loadSession, loadWorkspace, type Session } from '../context.ts'
import { type ComposedTree, composeTree } from '../fix/compose-tree.ts'
import { listRunsOnTree, loadGateRecord, storeGateRecord } from '../gate-records.ts'
import { listTestsAtFault } from './attribute-old-tests.ts'
import { baselineStepId, loadBaseline } from './baseline.ts'
import { findChangedTests } from './changed-tests.ts'
import { runChecks } from './run-checks.ts'
import type { VerifyContext } from './run-command.ts'
import { assertSetupFailureIsOurs } from './run-setup.ts'

export async function verifyOldTests(
  context: ActivityContext,
  input: GateInput,
  heartbeat: Heartbeat,
): Promise<OldTestsOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id, input.lane)
  const composed = await composeTree(workspace, input.head, input.selections)
  const known = await loadGateRecord(context, session, input.stepId)
  const result =
    known?.tree === composed.tree && known.oldTests
      ? known.oldTests
      : await runOldTests({ context, session, workspace, heartbeat }, { input, composed })
  await storeGateRecord(context, session, input.stepId, { tree: composed.tree, oldTests: result })
  if (result.files.length > 0) await appendEvents(context, session.id, [logOldTestsRun(input.stepId, result)])
  return await decideOldTests(context, session, result)
}

/** A decision of a person or a setting about such changes holds for these, too. */
async function decideOldTests(
  context: ActivityContext,
  { id, record, settings }: Session,
  { failures, files, key, unproven }: OldTestsResult,
): Promise<OldTestsOutcome> {
  const outcome = {
    summary: truncateText(describeOldTestFailures(failures), 500),
    testsKey: key,
    ...(unproven.length > 0 ? { leavesUnproven: true as const } : {}),
  }
  const { test_changes } = settings.verification
  if (failures.length === 0 || test_changes === 'allow') return { verdict: 'held', ...outcome }
  const grants = new Set(await context.store.grants.listAllowedPaths(record.repository_id, id))
  const open = files.filter(({ path }) => !grants.has(formatTestGrant(path)))
  if (open.length === 0) return { verdict: 'held', ...outcome }
  const rejected = test_changes === 'reject' ? [...new Set(open.flatMap(({ codes }) => codes))] : undefined
  return { verdict: 'refuted', ...outcome, ...(rejected ? { rejected } : {}) }
}

interface OldTestsInput {
  readonly input: GateInput
  readonly composed: ComposedTree
}

async function runOldTests(at: VerifyContext, { input, composed }: OldTestsInput): Promise<OldTestsResult> {
  const { context, session, workspace } = at
  const { stepId, head } = input
  const [changes, tests, { runs: base }, known] = await Promise.all([
    listChanges(workspace, head, composed.tree),
    findChangedTests(at, { head, tree: composed.tree }),
    loadBaseline(context, session, baselineStepId(session, head)),
    listRunsOnTree(context, session, stepId, composed.tree),
  ])
  const withFix = [...known.values()]
  // A new test can only make room for old ones that are not run any more.
  const isWeaker = tests.canWeaken || listOldTestFailures(base, withFix).length > 0
  const changed = new Set(isWeaker ? tests.paths : [])
  const { owners } = composed
  // The challenger says why such a change is right; without one, a person is asked.
  const offTarget = isChallenged(session.settings) ? [] : [...findOffTarget(session, owners, input.codes)]
  const stray = offTarget.map(([code, what]) => ({ command: `the change for ${code}`, outcome: what, tests: [] }))
  const strayFiles = offTarget.flatMap(([code, why]) =>
    listPathsOwnedBy(owners, [code]).map((path) => ({ path, why: `the change ${why}`, codes: [code] })),
  )
  if (changed.size === 0) return { head, key: composed.tree, files: strayFiles, failures: stray, unproven: [] }
  const key = await buildTreeFromSelections(workspace, head, [{ from: composed.tree, paths: [...changed] }])
  const rest = changes.flatMap(listEnds).filter((path) => !changed.has(path))
  const tree = await buildTreeFromSelections(workspace, head, [{ from: composed.tree, paths: rest }])
  const isBase = tree === (await resolveTree(workspace, head))
  // All commands run: one that fails must not hide what another says.
  const runs = isBase ? base : await runChecks(at, { stepId, head, tree, inFreshCheckout: true })
  if (runs.at(-1)?.setup) await assertSetupFailureIsOurs(at, { stepId, head })
  const failures = listOldTestFailures(base, runs)
  const refuted = { stepId, head, composed, codes: input.codes, changes, tests: changed, base, failures }
  const isAsked = failures.length > 0 && session.settings.verification.test_changes !== 'allow'
  const asked = isAsked ? await listTestsAtFault(at, refuted) : changed
  const files = describeTestFiles({ owners, paths: asked, codes: input.codes }, failures)
  return {
    head,
    key,
    files: [...files, ...strayFiles.filter(({ path }) => !asked.has(path))],
    putBack: [...changed],
    ...(isBase ? {} : { verification: runs }),
    failures: [...failures, ...stray],
    unproven: listUnprovenCommands(base, withFix, runs),
  }
}

interface TestFiles {
  readonly owners: Owners
  readonly paths: ReadonlySet<string>
  readonly codes: readonly string[]
}

/** A path without an owner is every issue's: a question about no file would be answered by nobody. */
function describeTestFiles({ owners, paths, codes }: TestFiles, failures: readonly OldTestFailure[]): OutsideFile[] {
  const failed = describeOldTestFailures(failures)
  const why = failed === '' ? 'a test, or what runs tests' : `as it was, the fix fails it: ${truncateText(failed, 300)}`
  return [...paths].map((path) => ({ path, why, codes: [...(owners[path] ?? codes)] }))
}
