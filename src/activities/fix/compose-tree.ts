// Snapshots, whose metadata is the message of their commit: a retried activity finds both or neither. And the trees composed from them:
// the stage's base, plus what each selection takes. The same selections give the same tree, so only they travel through the history.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import { filterFilesToAskAbout } from '../../domain/scope/check-scope.ts'
import type { Selection } from '../../domain/stage/attempt.ts'
import { countOwnedPaths, type Owners } from '../../domain/stage/change-owners.ts'
import { type FileParts, listBindingSets, listPartOwners, separateParts } from '../../domain/stage/file-parts.ts'
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import { SnapshotMetadata, type StoredClaim } from '../../domain/stage/snapshot-metadata.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { FixWork, IssueWork } from '../../domain/workflow-types/index.ts'
import { buildTreeFromSelections } from '../../platform/git/workspace/commits.ts'
import { listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readSnapshot, type Snapshot } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { listShares, loadWholeParts, mergeShares } from './merge-parts.ts'

export interface ParsedSnapshot extends Omit<Snapshot, 'message'> {
  readonly metadata: SnapshotMetadata
}

export function parseSnapshot({ message, ...taken }: Snapshot): ParsedSnapshot {
  return { ...taken, metadata: SnapshotMetadata.parse(JSON.parse(message)) }
}

export async function findSnapshot(workspace: Workspace, name: string): Promise<ParsedSnapshot | undefined> {
  const found = await readSnapshot(workspace, name)
  return found && parseSnapshot(found)
}

export async function loadSnapshot(workspace: Workspace, name: string): Promise<ParsedSnapshot> {
  const found = await findSnapshot(workspace, name)
  if (found) return found
  throw new Error(`there is no snapshot ${name} in ${workspace.directory}`)
}

export interface ComposedTree {
  readonly tree: string
  readonly owners: Owners
  /** The parts of files whose parts have different owners. */
  readonly parts: FileParts
  /** The files that bind none of their owners. */
  readonly unclaimed: readonly string[]
  /** Files that several of the snapshots change. */
  readonly overlaps: readonly string[]
  /** Issues whose changes had to give way to others of the same lines: such a tree passes no gate. */
  readonly lost: readonly string[]
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
  const taken = await Promise.all(
    selections.map(async ({ snapshot, codes }) => {
      const found = await loadSnapshot(workspace, snapshot)
      const { commit, parent, metadata } = found
      // Parts are about the lines of the base that the snapshot was made on.
      const parts = parent === head ? metadata.parts : undefined
      return { ...found, snapshot, codes, shares: listShares({ commit, owners: metadata.owners, parts }, codes) }
    }),
  )
  const byPath = Map.groupBy(
    taken.flatMap(({ shares }) => shares),
    ({ path }) => path,
  )
  const shared = new Map([...byPath].filter(([, all]) => all.length > 1 || all.some(({ isWhole }) => !isWhole)))
  const merged = await mergeShares(workspace, head, shared)
  const whole = [...[...byPath].flatMap(([path, all]) => (shared.has(path) ? [] : all)), ...merged.whole]
  const parts = new Map([...(await loadWholeParts(workspace, whole)), ...merged.parts])
  const owners = Object.fromEntries([
    ...whole.map(({ path, codes }) => [path, codes] as const),
    ...[...merged.files.keys()].map((path) => [path, listPartOwners(merged.parts.get(path) ?? [])] as const),
  ])
  const rest = {
    owners,
    parts,
    unclaimed: [...new Set(taken.flatMap(({ metadata }) => metadata.unclaimed ?? []))].filter((path) =>
      Object.hasOwn(owners, path),
    ),
    overlaps: [...byPath].flatMap(([path, all]) => (new Set(all.map(({ commit }) => commit)).size > 1 ? [path] : [])),
    lost: merged.lost,
    claims: Object.fromEntries(
      taken.flatMap(({ codes, metadata }) => Object.entries(metadata.claims).filter(([code]) => codes.includes(code))),
    ),
    fromSnapshots: taken.map(({ snapshot, tree, metadata, shares }) => {
      const paths = new Set(shares.map(({ path }) => path))
      return { snapshot, tree, outside: (metadata.outside ?? []).filter(({ path }) => paths.has(path)) }
    }),
  }
  // A stage mostly takes all of its one snapshot; then there is nothing to compose.
  const [only, ...others] = taken
  const isAll = only?.parent === head && whole.length === Object.keys(only.metadata.owners).length
  if (only && others.length === 0 && isAll) return { tree: only.tree, ...rest }
  const selected = taken.map(({ commit }) => ({
    from: commit,
    paths: whole.flatMap((share) => (share.commit === commit ? [share.path] : [])),
  }))
  return { tree: await buildTreeFromSelections(workspace, head, selected, merged.files), ...rest }
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

export function filesNeedingApproval(metadata: SnapshotMetadata): readonly OutsideFile[] {
  const { outside = [], outOfScope } = metadata
  return filterFilesToAskAbout(outside, separateOwners(metadata), outOfScope)
}

function separateOwners({ owners, parts = {} }: SnapshotMetadata): Owners {
  return separateParts(owners, new Map(Object.entries(parts)))
}

/** The summary of a snapshot for the history: counts, and a short text for issues without changes. */
export function toFixWork(snapshotName: string, codes: readonly string[], { tree, metadata }: ParsedSnapshot): FixWork {
  const { owners, parts = {}, unclaimed = [] } = metadata
  const all = new Set([...codes, ...Object.values(owners).flat()])
  const issues = [...all].map((code): [string, IssueWork] => {
    const claim = metadata.claims[code]
    const files = countOwnedPaths(owners, code)
    return [code, files === 0 && claim ? { files, ...describeUnchanged(claim) } : { files }]
  })
  const asking = [...new Set(filesNeedingApproval(metadata).flatMap((file) => file.codes))].sort()
  return {
    snapshot: snapshotName,
    tree,
    owners: listBindingSets({ owners, parts: new Map(Object.entries(parts)), unclaimed }),
    outOfScope: metadata.outOfScope,
    ...(asking.length > 0 ? { needsApproval: asking } : {}),
    violations: metadata.violations.slice(0, 10).map((violation) => truncateText(violation, 200)),
    issues: Object.fromEntries(issues),
  }
}

/** The claim about an issue without changes. A false-positive claim counts only with a reason. */
function describeUnchanged({ status, changes_summary, gone }: StoredClaim): Omit<IssueWork, 'files'> {
  if (gone) return { isGone: true, message: truncateReason(changes_summary) }
  const reason = changes_summary.trim()
  if (status === 'false_positive' && reason !== '') return { claim: status, message: truncateReason(reason) }
  if (status === 'blocked') return { isBlocked: true, message: truncateReason(reason || 'no reason was given') }
  const text = reason === '' ? missingReasonText(status) : `${status}: ${reason}`
  return { message: truncateReason(`no changes applied (${text})`) }
}

function missingReasonText(status: FixClaim['status']): string {
  return status === 'false_positive'
    ? 'a false positive without a reason: nobody was asked to agree'
    : `${status}, without a reason`
}

function truncateReason(text: string): string {
  return truncateText(text, 300)
}
