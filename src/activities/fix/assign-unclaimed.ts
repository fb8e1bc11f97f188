// Files that no issue of a call claims: each gets the owners that it tells of. Where nothing tells, it stays with all issues of the call
// and binds none: whoever is kept without the others is judged without it. A call about only some of its owners binds them.
import { findSpeaker } from '../../domain/stage/assign-parts.ts'
import { type ChangedPath, guessOwners, listUnclaimed, type Owners } from '../../domain/stage/change-owners.ts'
import { type FileParts, listPartOwners } from '../../domain/stage/file-parts.ts'
import { readTreeFiles } from '../../platform/git/workspace/file-contents.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { ComposedTree } from './compose-tree.ts'
import { toLines } from './merge-parts.ts'
import type { Claimant } from './separate-files.ts'

/** The owners of the tree before, without those of files that nobody claimed and somebody does now. */
export function withoutNewlyClaimed(
  { owners, unclaimed }: Pick<ComposedTree, 'owners' | 'unclaimed'>,
  changes: readonly ChangedPath[],
  claimants: readonly Claimant[],
): Owners {
  const open = new Set(listUnclaimed(changes, claimants))
  const claimed = changes.flatMap(listEnds).filter((path) => unclaimed.includes(path) && !open.has(path))
  return Object.fromEntries(Object.entries(owners).filter(([path]) => !claimed.includes(path)))
}

interface AssignedFiles {
  readonly owners: Owners
  readonly parts: FileParts
  readonly changes: readonly ChangedPath[]
  readonly claimants: readonly Claimant[]
}

interface WithUnclaimed {
  readonly owners: Owners
  /** Files of which nothing tells whose they are. */
  readonly unclaimed: readonly string[]
}

export async function assignUnclaimed(
  workspace: Workspace,
  { start, tree }: { readonly start: ComposedTree; readonly tree: string },
  { owners, parts, changes, claimants }: AssignedFiles,
): Promise<WithUnclaimed> {
  const touched = new Set(changes.flatMap(listEnds))
  const open = new Set(listUnclaimed(changes, claimants))
  const isShared = (path: string) => (owners[path]?.length ?? 0) > 1
  const hadOwner = (path: string) => Object.hasOwn(start.owners, path) && !start.unclaimed.includes(path)
  const doubtful = changes.filter((change) =>
    listEnds(change).every((path) => open.has(path) && isShared(path) && !hadOwner(path)),
  )
  const ofCall = new Set(claimants.map(({ code }) => code))
  // Snapshots of this call and of another would each hold a file of which neither selection owns all: it binds its owners again.
  const isSplit = (path: string) => {
    const own = owners[path] ?? []
    return own.some((code) => ofCall.has(code)) && !own.every((code) => ofCall.has(code))
  }
  const unclaimed = new Set(start.unclaimed.filter((path) => !touched.has(path) && isShared(path) && !isSplit(path)))
  const claimed = Object.fromEntries(
    Object.entries(owners).filter(
      ([path]) => !unclaimed.has(path) && !doubtful.some((each) => listEnds(each).includes(path)),
    ),
  )
  const texts = await readChangedTexts(workspace, { start, tree }, doubtful)
  const guessed = new Map<string, readonly string[]>()
  for (const change of doubtful) {
    const { path } = change
    const speaker = findSpeaker(`${path}\n${texts.get(path) ?? ''}`, claimants)
    const own = listPartOwners(parts.get(path) ?? [])
    const isNarrower = own.length > 0 && own.length < (owners[path]?.length ?? 0)
    const guess = parts.has(path) ? undefined : guessOwners({ path, speaker }, claimants, claimed)
    const found = isNarrower ? own : guess
    for (const end of listEnds(change)) {
      if (found) guessed.set(end, found)
      else if (!isSplit(end)) unclaimed.add(end)
    }
  }
  return { owners: { ...owners, ...Object.fromEntries(guessed) }, unclaimed: [...unclaimed].sort() }
}

function listEnds({ path, from }: ChangedPath): readonly string[] {
  return from === undefined ? [path] : [path, from]
}

/** The lines that are new in each file. */
async function readChangedTexts(
  workspace: Workspace,
  { start, tree }: { readonly start: ComposedTree; readonly tree: string },
  changes: readonly ChangedPath[],
): Promise<ReadonlyMap<string, string>> {
  const paths = changes.map(({ path }) => path)
  if (paths.length === 0) return new Map()
  const [before, after] = await Promise.all([start.tree, tree].map((each) => readTreeFiles(workspace, each, paths)))
  return new Map(
    paths.map((path) => {
      const known = new Set(toLines(before?.get(path)))
      const lines = toLines(after?.get(path)).filter((line) => !known.has(line))
      return [path, lines.join('')] as const
    }),
  )
}
