// The snapshot of the tree that a fixer's call left: what changed and whose it is, without what git can't take, with the scope gate's word.
import { createRefusalFinder } from '../../domain/scope/takeable-files.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { assignOwners, type ChangedPath, type Owners, restrictOwners } from '../../domain/stage/change-owners.ts'
import { findNamedPaths, parseClaimedPaths } from '../../domain/stage/claimed-paths.ts'
import { haveDifferentOwners, listPartOwners, toStoredParts } from '../../domain/stage/file-parts.ts'
import type { SnapshotMetadata, StoredClaim, StoredPart } from '../../domain/stage/snapshot-metadata.ts'
import type { FixInput } from '../../domain/workflow-types/index.ts'
import { FIXWRIGHT_IDENTITY } from '../../platform/git/git.ts'
import { detectAgentGitUse } from '../../platform/git/workspace/detect-git-use.ts'
import { type Change, listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { createSnapshot, saveCommit } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { type RemovedEntry, removeUntakeable } from '../../platform/git/workspace/untakeable-entries.ts'
import { type ActivityContext, getIssue, type Session } from '../context.ts'
import { checkTreeScope } from '../scope/scope-gate.ts'
import { assignUnclaimed, withoutNewlyClaimed } from './assign-unclaimed.ts'
import { type ComposedTree, listChangedPaths, type ParsedSnapshot, parseSnapshot } from './compose-tree.ts'
import { type Claimant, type FixedTree, separateFiles } from './separate-files.ts'

interface FixerCallResult {
  readonly input: FixInput
  readonly start: ComposedTree
  readonly claims: readonly StoredClaim[]
  readonly failure?: CallFailure | undefined
}

export async function takeSnapshot(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { input, start, claims, failure }: FixerCallResult,
): Promise<ParsedSnapshot> {
  const removed = await removeUntakeable(workspace, createRefusalFinder())
  const traces = await detectAgentGitUse(workspace)
  const note = async (tree: string): Promise<string> => {
    const fixed = { input, start, claims, tree }
    const { changed, owners, parts, unclaimed } = await assignChanges(session, workspace, fixed)
    const scope = await checkTreeScope(context, session, workspace, { head: input.head, start, tree, changed, owners })
    // An agent's changes to git itself can't be told apart by issue.
    const everybody = traces.violations.length > 0 ? input.codes : []
    const removers = listRemovers(session, workspace, { input, start, claims, removed })
    return JSON.stringify({
      owners,
      ...(Object.keys(parts).length > 0 ? { parts } : {}),
      ...(unclaimed.length > 0 ? { unclaimed } : {}),
      claims: { ...start.claims, ...Object.fromEntries(claims.map((claim) => [claim.issue_code, claim])) },
      violations: [...scope.violations, ...traces.violations, ...describeRemoved(removed)],
      outOfScope: [...new Set([...scope.outOfScope, ...everybody, ...removers])].sort(),
      outside: scope.outside,
      notes: traces.observations,
      failure,
    } satisfies SnapshotMetadata)
  }
  const request = { name: input.stepId, parent: input.head, at: new Date() }
  if (traces.treeIsGone) {
    const kept = { ...request, tree: start.tree, message: await note(start.tree), author: FIXWRIGHT_IDENTITY }
    return parseSnapshot(await saveCommit(workspace, input.stepId, kept))
  }
  return parseSnapshot(await createSnapshot(workspace, { ...request, message: note }))
}

const MAX_REMOVED_SHOWN = 50

function describeRemoved(removed: readonly RemovedEntry[]): string[] {
  const shown = removed.slice(0, MAX_REMOVED_SHOWN).map(({ path, why }) => `${path} (${why})`)
  return removed.length > shown.length ? [...shown, `${removed.length - shown.length} more of the kind`] : shown
}

/** The paths that a call left and that were taken out of the tree again. */
interface RemovedFromTree extends Omit<FixedTree, 'tree'> {
  readonly removed: readonly ChangedPath[]
}

interface AssignedChanges {
  /** The changes of this call. */
  readonly changed: readonly Change[]
  readonly owners: Owners
  /** The parts of files that several issues changed in different places. */
  readonly parts: Readonly<Record<string, readonly StoredPart[]>>
  /** The files of which nothing tells whose they are. */
  readonly unclaimed: readonly string[]
}

/** Says which issue each change of the call belongs to: git knows what changed, the reply and the finding only say for what. */
export async function assignChanges(
  session: Session,
  workspace: Workspace,
  fixed: FixedTree,
): Promise<AssignedChanges> {
  const { input, start, tree } = fixed
  const [changed, differing] = await Promise.all([
    listChanges(workspace, start.tree, tree),
    listChangedPaths(workspace, input.head, tree),
  ])
  const claimants = listClaimants(session, workspace, fixed, changed)
  const before = withoutNewlyClaimed(start, changed, claimants)
  const assigned = restrictOwners(assignOwners(changed, claimants, before), differing)
  const parts = await separateFiles(session, workspace, fixed, { owners: assigned, claimants })
  const files = { owners: assigned, parts, changes: changed, claimants }
  const { owners, unclaimed } = await assignUnclaimed(workspace, fixed, files)
  const own = [...parts].map(([path, some]) => [path, listPartOwners(some)] as const)
  const separated = [...parts].filter(([, some]) => haveDifferentOwners(some))
  const stored = separated.map(([path, some]) => [path, toStoredParts(some)] as const)
  const all = Object.fromEntries([...Object.entries(owners), ...own])
  return { changed, owners: all, parts: Object.fromEntries(stored), unclaimed }
}

/** The issues that left these paths. */
function listRemovers(session: Session, workspace: Workspace, fixed: RemovedFromTree): string[] {
  const { removed, start } = fixed
  const owners = assignOwners(removed, listClaimants(session, workspace, fixed, removed), start.owners)
  return [...new Set(removed.flatMap(({ path }) => owners[path] ?? []))]
}

function listClaimants(
  session: Session,
  workspace: Workspace,
  { input, claims }: Omit<FixedTree, 'tree'>,
  changed: readonly ChangedPath[],
): Claimant[] {
  const paths = [...new Set(changed.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])))]
  return input.codes.map((code) => {
    const { file, title, description, suggested_fix = '' } = getIssue(session, code)
    const own = claims.filter(({ issue_code }) => issue_code === code)
    const entries = own.flatMap(({ file_modified }) => file_modified ?? [])
    const claimed = parseClaimedPaths(entries, workspace.tree, (path) => paths.includes(path))
    const finding = [title, description, suggested_fix]
    return {
      code,
      file,
      claimed,
      claimedFiles: claimed.map(({ path }) => path),
      namedFiles: findNamedPaths(finding.join('\n'), paths),
      text: [...finding, ...own.map(({ changes_summary }) => changes_summary)].join('\n'),
      claimsFalsePositive: own.some(({ status }) => status === 'false_positive'),
      claimsNoChange: own.length > 0 && own.every(({ status }) => status !== 'fixed'),
    }
  })
}
