// What is written into the message of a snapshot's commit: whose its changes are and what the fixer said about them. So the
// snapshot and all that is known about it come into being in one step, and a retried activity finds both or neither.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import type { FixWork, IssueWork } from '../../domain/protocol/index.ts'
import { worthAsking } from '../../domain/scope/check-scope.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { countOwned, type Owners, ownerSets } from '../../domain/stage/change-owners.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readSnapshot, type Snapshot } from '../../platform/git/workspace/snapshot-and-reset.ts'

export interface SnapshotNote {
  readonly owners: Owners
  readonly claims: Readonly<Record<string, FixClaim>>
  readonly outOfScope: readonly string[]
  readonly violations: readonly string[]
  /** What only a person can let through, and nobody had when the snapshot was taken. Earlier versions asked nobody. */
  readonly outside?: readonly OutsideFile[] | undefined
  /** What the agent did with git of its own accord: folded back, and told. */
  readonly notes: readonly string[]
  readonly failure?: CallFailure | undefined
}

export interface NotedSnapshot extends Omit<Snapshot, 'note'> {
  readonly note: SnapshotNote
}

export function noted({ note, ...taken }: Snapshot): NotedSnapshot {
  return { ...taken, note: JSON.parse(note) as SnapshotNote }
}

export async function findNoted(workspace: Workspace, name: string): Promise<NotedSnapshot | undefined> {
  const found = await readSnapshot(workspace, name)
  return found && noted(found)
}

export async function readNoted(workspace: Workspace, name: string): Promise<NotedSnapshot> {
  const found = await findNoted(workspace, name)
  if (found) return found
  throw new Error(`there is no snapshot ${name} in ${workspace.directory}`)
}

/** What a person is to decide about. */
export function askedAbout({ outside = [], owners, outOfScope }: SnapshotNote): readonly OutsideFile[] {
  return worthAsking(outside, owners, outOfScope)
}

/** What the history keeps of a snapshot: counts, and a few words where there is nothing to count. */
export function workOf(snapshotName: string, codes: readonly string[], { tree, note }: NotedSnapshot): FixWork {
  const all = new Set([...codes, ...Object.values(note.owners).flat()])
  const issues = [...all].map((code): [string, IssueWork] => {
    const claim = note.claims[code]
    const files = countOwned(note.owners, code)
    return [code, files === 0 && claim ? { files, ...excuseOf(claim) } : { files }]
  })
  const asking = [...new Set(askedAbout(note).flatMap((file) => file.codes))].sort()
  return {
    snapshot: snapshotName,
    tree,
    owners: ownerSets(note.owners),
    outOfScope: note.outOfScope,
    ...(asking.length > 0 ? { asking } : {}),
    violations: note.violations.slice(0, 10).map((violation) => violation.slice(0, 200)),
    issues: Object.fromEntries(issues),
  }
}

/** What it says about an issue for which nothing was changed. A false positive is one only with a reason. */
function excuseOf({ status, changes_summary }: FixClaim): Omit<IssueWork, 'files'> {
  const reason = changes_summary.trim()
  if (status === 'false_positive' && reason !== '') return { claim: status, note: inShort(reason) }
  const said = reason === '' ? saidNothing(status) : `${status}: ${reason}`
  return { note: inShort(`no changes applied (${said})`) }
}

function saidNothing(status: FixClaim['status']): string {
  return status === 'false_positive'
    ? 'a false positive without a reason: nobody was asked to agree'
    : `${status}, without a reason`
}

function inShort(text: string): string {
  return text.slice(0, 300).toWellFormed()
}
