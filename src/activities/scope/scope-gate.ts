// Gate 1: applies the scope rules to the tree that a call left. A person's approvals of a snapshot's files are kept beside it in git, so
// that no later work carries in other files.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import { checkScope, type ScopeCheckResult } from '../../domain/scope/check-scope.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { fixScopeViolation } from '../../domain/session/events/scope-events.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import type { Owners } from '../../domain/stage/change-owners.ts'
import type { SnapshotMetadata } from '../../domain/stage/snapshot-metadata.ts'
import { SnapshotApproval } from '../../domain/stage/snapshot-metadata.ts'
import type { FixInput } from '../../domain/workflow-types/index.ts'
import { FIXWRIGHT_IDENTITY } from '../../platform/git/git.ts'
import { findFilters } from '../../platform/git/repository/filtered-files.ts'
import { type Change, listChanges } from '../../platform/git/workspace/diff.ts'
import { readSymlinkTargets } from '../../platform/git/workspace/file-contents.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readSnapshot, saveCommit } from '../../platform/git/workspace/snapshot-and-reset.ts'
import type { ActivityContext, Session } from '../context.ts'
import type { ComposedTree } from '../fix/compose-tree.ts'
import { filesNeedingApproval, type ParsedSnapshot } from '../fix/compose-tree.ts'
import { findTreeAdditions } from './find-additions.ts'

interface ScopeCheckInput extends Pick<FixInput, 'head'> {
  readonly start: ComposedTree
  readonly tree: string
  /** The changes of this call. */
  readonly changed: readonly Change[]
  readonly owners: Owners
}

/** Checks the changes of this call, and the earlier ones in the tree that no one has approved yet. */
export async function checkTreeScope(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { head, start, tree, changed, owners }: ScopeCheckInput,
): Promise<ScopeCheckResult> {
  const open = new Set((await findUnapprovedFiles(workspace, start)).map(({ path }) => path))
  const found = open.size === 0 ? [] : await listChanges(workspace, head, tree)
  const carried = found.filter(({ path, from }) => open.has(path) || (from !== undefined && open.has(from)))
  const suspects = [...changed, ...carried]
  const links = suspects.some(({ symlink }) => symlink !== undefined)
    ? await readSymlinkTargets(workspace, tree)
    : undefined
  const paths = suspects.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
  const filters =
    session.record.options.filters === true
      ? await findFilters({ root: workspace.repository, commit: workspace.base }, paths, workspace.directory)
      : undefined
  const additions = await findTreeAdditions(context, session, workspace, { head, tree })
  const issues = session.issues.map(({ issue_code, file }) => ({ code: issue_code, file }))
  return checkScope(suspects, owners, issues, {
    ...session.settings.scope,
    grants: await context.store.grants.listAllowedPaths(session.record.repository_id, session.id),
    readLink: (path) => links?.get(path),
    findFilter: (path) => filters?.get(path),
    findAdditions: (path) => additions.get(path) ?? [],
  })
}

export function scopeViolationEvents(stepId: string, note: SnapshotMetadata): NewEvent[] {
  const { violations, outOfScope } = note
  const outside = filesNeedingApproval(note)
  if (violations.length + outside.length === 0) return []
  return [fixScopeViolation({ stepId, violations, codes: outOfScope, outside })]
}

/** Replaces an earlier approval of this snapshot. */
export async function storeApproval(
  workspace: Workspace,
  snapshot: string,
  { tree, commit }: ParsedSnapshot,
  { paths, at }: { readonly paths: readonly string[]; readonly at: number },
): Promise<void> {
  const message = JSON.stringify({ approved: paths } satisfies SnapshotApproval)
  const request = { tree, parent: commit, message, author: FIXWRIGHT_IDENTITY, at: new Date(at) }
  await saveCommit(workspace, approvalName(snapshot), request)
}

export async function findUnapprovedFiles(
  workspace: Workspace,
  { fromSnapshots }: ComposedTree,
): Promise<OutsideFile[]> {
  const all = await Promise.all(
    fromSnapshots.map(async ({ snapshot, outside }) => {
      if (outside.length === 0) return []
      const kept = await readSnapshot(workspace, approvalName(snapshot))
      const approved = new Set(kept && SnapshotApproval.parse(JSON.parse(kept.message)).approved)
      return outside.filter(({ path }) => !approved.has(path))
    }),
  )
  return all.flat()
}

function approvalName(snapshot: string): string {
  return formatStepPart(snapshot, { kind: 'scope' })
}
