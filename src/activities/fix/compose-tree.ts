// Composes trees: the stage's base, plus what each selection takes from its snapshot. The same selections give the same
// tree, so only they travel through the history.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import type { Selection } from '../../domain/stage/attempt.ts'
import { listPathsOwnedBy, type Owners, restrictOwners } from '../../domain/stage/change-owners.ts'
import { buildTreeFromSelections } from '../../platform/git/workspace/commits.ts'
import { listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { loadSnapshot } from './snapshot-metadata.ts'

export interface ComposedTree {
  readonly tree: string
  readonly owners: Owners
  readonly claims: Readonly<Record<string, FixClaim>>
  readonly fromSnapshots: readonly ComposedSource[]
}

interface ComposedSource {
  readonly snapshot: string
  /** The whole snapshot's tree. */
  readonly tree: string
  /** The files among the taken ones that needed approval when the snapshot was taken. */
  readonly outside: readonly OutsideFile[]
}

export async function composeTree(
  workspace: Workspace,
  head: string,
  selections: readonly Selection[],
): Promise<ComposedTree> {
  let owners: Owners = {}
  let claims: Readonly<Record<string, FixClaim>> = {}
  const parts: { from: string; paths: string[] }[] = []
  const taken: ComposedSource[] = []
  for (const { snapshot, codes } of selections) {
    const { commit, parent, tree, metadata } = await loadSnapshot(workspace, snapshot)
    const paths = listPathsOwnedBy(metadata.owners, codes)
    const own = new Set(paths)
    taken.push({ snapshot, tree, outside: (metadata.outside ?? []).filter(({ path }) => own.has(path)) })
    owners = { ...owners, ...restrictOwners(metadata.owners, own) }
    claims = {
      ...claims,
      ...Object.fromEntries(Object.entries(metadata.claims).filter(([code]) => codes.includes(code))),
    }
    // A stage mostly takes all of its one snapshot; then there is nothing to compose.
    const isWhole = selections.length === 1 && parent === head && paths.length === Object.keys(metadata.owners).length
    if (isWhole) return { tree, owners, claims, fromSnapshots: taken }
    parts.push({ from: commit, paths })
  }
  return { tree: await buildTreeFromSelections(workspace, head, parts), owners, claims, fromSnapshots: taken }
}

export async function loadFixClaims(
  workspace: Workspace,
  selections: readonly Selection[],
): Promise<Readonly<Record<string, FixClaim>>> {
  const claims: Record<string, FixClaim> = {}
  for (const { snapshot, codes } of selections) {
    const { metadata } = await loadSnapshot(workspace, snapshot)
    for (const code of codes) if (metadata.claims[code]) claims[code] = metadata.claims[code]
  }
  return claims
}

/** The paths that differ, with both ends of every rename. */
export async function listChangedPaths(
  workspace: { readonly gitDir: string },
  from: string,
  to: string,
): Promise<Set<string>> {
  const all = await listChanges(workspace, from, to)
  return new Set(all.flatMap(({ path, from: before }) => (before === undefined ? [path] : [before, path])))
}
