// Gate 1 on what a call left in the tree: what the rules say to it, and how that is told.
import type { NewEvent } from '../domain/events.ts'
import { listed } from '../domain/listed.ts'
import type { Owners } from '../domain/ownership.ts'
import type { FixInput } from '../domain/protocol.ts'
import { checkScope, type ScopeVerdict } from '../domain/scope.ts'
import { type Change, changes } from '../git/changes.ts'
import { filtersAmong } from '../git/filtered.ts'
import { linksOf } from '../git/links.ts'
import type { Workspace } from '../git/workspace.ts'
import { unapproved } from './approvals.ts'
import { askedAbout, type SnapshotNote } from './note.ts'
import type { Composed } from './trees.ts'
import type { Session, Workshop } from './workshop.ts'

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
