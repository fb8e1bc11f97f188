// What is written into the message of a snapshot's commit: whose its changes are and what the fixer said about them. So the
// snapshot and all that is known about it come into being in one step, and a retried activity finds both or neither.
import type { CallFailure } from '../domain/failure.ts'
import type { Owners } from '../domain/ownership.ts'
import type { FixClaim } from '../domain/reply.ts'
import { readSnapshot, type Snapshot } from '../git/tree.ts'
import type { Workspace } from '../git/workspace.ts'

export interface SnapshotNote {
  readonly owners: Owners
  readonly claims: Readonly<Record<string, FixClaim>>
  readonly outOfScope: readonly string[]
  readonly violations: readonly string[]
  /** What the agent did with git of its own accord: folded back, and told. */
  readonly notes?: readonly string[] | undefined
  readonly failure?: CallFailure | undefined
}

export interface NotedSnapshot extends Snapshot {
  readonly note: SnapshotNote
}

export async function findNoted(workspace: Workspace, name: string): Promise<NotedSnapshot | undefined> {
  const found = await readSnapshot(workspace, name)
  return found && { ...found, note: JSON.parse(found.note) as SnapshotNote }
}

export async function readNoted(workspace: Workspace, name: string): Promise<NotedSnapshot> {
  const found = await findNoted(workspace, name)
  if (found) return found
  throw new Error(`there is no snapshot ${name} in ${workspace.directory}`)
}
