// Gate 1 on what a call left in the tree: what the rules say to it, and how that is told.

import type { FixInput } from '../../domain/protocol/index.ts'
import { checkScope, type ScopeVerdict } from '../../domain/scope/check-scope.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import type { Owners } from '../../domain/stage/change-owners.ts'
import { listed } from '../../domain/text/join-list.ts'
import { filtersAmong } from '../../platform/git/repository/filtered-files.ts'
import { type Change, changes } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { linksOf } from '../../platform/git/workspace/symlinks.ts'
import type { Session, Workshop } from '../context.ts'
import type { Composed } from '../fix/compose-tree.ts'
import { askedAbout, type SnapshotNote } from '../fix/snapshot-metadata.ts'
import { unapproved } from './approved-paths.ts'

interface Left extends Pick<FixInput, 'head'> {
  readonly start: Composed
  readonly tree: string
  /** By this call. */
  readonly changed: readonly Change[]
  readonly owners: Owners
}

/** What this call changed, and what it found changed that nobody has let through. What was let through before stays so. */
export async function lookAtScope(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { head, start, tree, changed, owners }: Left,
): Promise<ScopeVerdict> {
  const open = new Set((await unapproved(workspace, start)).map(({ path }) => path))
  const found = open.size === 0 ? [] : await changes(workspace, head, tree)
  const carried = found.filter(({ path, from }) => open.has(path) || (from !== undefined && open.has(from)))
  const suspects = [...changed, ...carried]
  const links = suspects.some(({ symlink }) => symlink !== undefined) ? await linksOf(workspace, tree) : undefined
  const paths = suspects.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
  const filters =
    session.record.options.filters === true
      ? await filtersAmong({ root: workspace.repository, commit: workspace.base }, paths, workspace.directory)
      : undefined
  const issues = session.issues.map(({ issue_code, file }) => ({ code: issue_code, file }))
  return checkScope(suspects, owners, issues, {
    ...session.settings.scope,
    grants: await shop.store.grants.of(session.record.repository, session.id),
    linkAt: (path) => links?.get(path),
    filterOf: (path) => filters?.get(path),
  })
}

/** Of a list in an event: events are read by people and streamed to their terminals. */
const MOST = 100

/** One, where anything was touched that may not be, or not without a person's word. */
export function scopeEvents(call: string, note: SnapshotNote): NewEvent[] {
  const { violations, outOfScope } = note
  const outside = askedAbout(note)
  const files = outside.map(({ path, why, codes }) => `${path} (${why}; ${codes.join(', ')})`)
  const says = [
    ...(violations.length > 0 ? [`${listed(outOfScope)} touched what it may not: ${listed(violations)}`] : []),
    ...(files.length > 0 ? [`a person has to let through ${listed(files)}`] : []),
  ]
  if (says.length === 0) return []
  const data = {
    violations: violations.slice(0, MOST),
    codes: outOfScope,
    outside: outside.slice(0, MOST).map(({ path, why, codes }) => ({ path, why, issue_codes: codes })),
  }
  return [{ key: `${call}/scope`, type: 'fix_scope_violation', message: says.join('; '), data }]
}
