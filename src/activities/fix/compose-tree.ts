// Trees that are put together: the stage's base, with what each pick takes over from its snapshot. Composing the same
// picks again gives the same tree, so only the picks travel through the history.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import type { Pick } from '../../domain/stage/attempt.ts'
import { narrowOwners, type Owners, pathsOwnedBy } from '../../domain/stage/change-owners.ts'
import { compose } from '../../platform/git/workspace/commits.ts'
import { changes } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readNoted } from './snapshot-metadata.ts'

export interface Composed {
  readonly tree: string
  readonly owners: Owners
  readonly claims: Readonly<Record<string, FixClaim>>
  /** The snapshots that it is put together from. */
  readonly taken: readonly Taken[]
}

interface Taken {
  readonly snapshot: string
  /** The whole of it. */
  readonly tree: string
  /** Of what was taken over, what had to be asked about when the snapshot was taken. */
  readonly outside: readonly OutsideFile[]
}

export async function composeTree(workspace: Workspace, head: string, picks: readonly Pick[]): Promise<Composed> {
  let owners: Owners = {}
  let claims: Readonly<Record<string, FixClaim>> = {}
  const parts: { from: string; paths: string[] }[] = []
  const taken: Taken[] = []
  for (const { snapshot, codes } of picks) {
    const { commit, parent, tree, note } = await readNoted(workspace, snapshot)
    const paths = pathsOwnedBy(note.owners, codes)
    const own = new Set(paths)
    taken.push({ snapshot, tree, outside: (note.outside ?? []).filter(({ path }) => own.has(path)) })
    owners = { ...owners, ...narrowOwners(note.owners, own) }
    claims = { ...claims, ...Object.fromEntries(Object.entries(note.claims).filter(([code]) => codes.includes(code))) }
    // Mostly a stage takes all of its one snapshot: then there is nothing to put together.
    const isWhole = picks.length === 1 && parent === head && paths.length === Object.keys(note.owners).length
    if (isWhole) return { tree, owners, claims, taken }
    parts.push({ from: commit, paths })
  }
  return { tree: await compose(workspace, head, parts), owners, claims, taken }
}

/** What the fixer said about these issues, in the words that its snapshots keep. */
export async function claimsOf(
  workspace: Workspace,
  picks: readonly Pick[],
): Promise<Readonly<Record<string, FixClaim>>> {
  const claims: Record<string, FixClaim> = {}
  for (const { snapshot, codes } of picks) {
    const { note } = await readNoted(workspace, snapshot)
    for (const code of codes) if (note.claims[code]) claims[code] = note.claims[code]
  }
  return claims
}

/** Both ends of every rename, and every other path that differs. */
export async function changedPaths(
  workspace: { readonly gitDir: string },
  from: string,
  to: string,
): Promise<Set<string>> {
  const all = await changes(workspace, from, to)
  return new Set(all.flatMap(({ path, from: before }) => (before === undefined ? [path] : [before, path])))
}
