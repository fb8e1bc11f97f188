// Finds whose changed tests a tree needs to pass, where several issues changed some: only those are asked about.
import { formatStepPart } from '../../domain/session/step-id.ts'
import { listOwnerSets } from '../../domain/stage/change-owners.ts'
import { groupIssues, type IssueGroup } from '../../domain/stage/issue-groups.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { listEnds, listOldTestFailures, type OldTestFailure } from '../../domain/verification/old-tests.ts'
import { buildTreeFromSelections } from '../../platform/git/workspace/commits.ts'
import type { Change } from '../../platform/git/workspace/diff.ts'
import type { ComposedTree } from '../fix/compose-tree.ts'
import { runChecks } from './run-checks.ts'
import type { VerifyContext } from './run-command.ts'

/** More groups are not told apart: each costs a run of the failed commands. */
const MAX_GROUPS = 12

export interface RefutedTree {
  readonly stepId: string
  readonly head: string
  readonly composed: ComposedTree
  readonly codes: readonly string[]
  readonly changes: readonly Change[]
  /** The changed paths that test, or that run tests. */
  readonly tests: ReadonlySet<string>
  readonly base: readonly VerificationRun[]
  readonly failures: readonly OldTestFailure[]
}

/** The changed tests to ask about: those of each issue group that fails with only its own tests as they were, else all. */
export async function listTestsAtFault(at: VerifyContext, refuted: RefutedTree): Promise<ReadonlySet<string>> {
  const { tests, composed, codes } = refuted
  const groups = groupIssues(codes, listOwnerSets(composed.owners, composed.unclaimed))
  const isOwnedBy = (group: IssueGroup) => (path: string) =>
    (composed.owners[path] ?? codes).some((each) => group.includes(each))
  const withTests = groups.map((group) => [...tests].filter(isOwnedBy(group))).filter((paths) => paths.length > 0)
  if (withTests.length < 2 || withTests.length > MAX_GROUPS) return tests
  const atFault: string[] = []
  for (const [index, paths] of withTests.entries()) {
    if (await failsWithout(at, refuted, { paths, nth: index + 1 })) atFault.push(...paths)
  }
  return atFault.length > 0 ? new Set(atFault) : tests
}

async function failsWithout(
  at: VerifyContext,
  { stepId, head, composed, changes, base, failures }: RefutedTree,
  { paths, nth }: { readonly paths: readonly string[]; readonly nth: number },
): Promise<boolean> {
  const rest = changes.flatMap(listEnds).filter((path) => !paths.includes(path))
  const tree = await buildTreeFromSelections(at.workspace, head, [{ from: composed.tree, paths: rest }])
  const { masking } = at.context
  const failed = new Set(failures.map(({ command }) => command))
  const all = at.session.settings.verification.commands
  const masked = await Promise.all(all.map((command) => masking.maskText(command)))
  const own = formatStepPart(stepId, { kind: 'tests_of_group', n: nth })
  const commands = all.filter((_, index) => failed.has(masked[index] ?? ''))
  const runs = await runChecks(at, { stepId: own, head, tree, commands, inFreshCheckout: true })
  // A tree that can't be set up says nothing about whose tests it needs.
  return runs.at(-1)?.setup === undefined && listOldTestFailures(base, runs).length > 0
}
