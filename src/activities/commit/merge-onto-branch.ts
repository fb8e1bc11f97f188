// A person committed on the branch meanwhile: what was chosen, merged onto their commit, becomes a snapshot to be judged again.

import type { MergeInput, MergeOutcome } from '../../domain/protocol/index.ts'
import { IN_PASSING } from '../../domain/session/events.ts'
import { narrowOwners } from '../../domain/stage/change-owners.ts'
import { FIXWRIGHT } from '../../platform/git/git.ts'
import { commitTree, mergeOnto } from '../../platform/git/workspace/commits.ts'
import { resetTo, snapshot } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { tell } from '../append-events.ts'
import { loadSession, type Workshop, workspaceOf } from '../context.ts'
import { changedPaths, composeTree } from '../fix/compose-tree.ts'
import { noted, type SnapshotNote, workOf } from '../fix/snapshot-metadata.ts'
import type { Beat } from '../heartbeat.ts'
import { unapproved } from '../scope/approved-paths.ts'

export async function mergeStage(shop: Workshop, input: MergeInput, { signal }: Beat): Promise<MergeOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, session.id)
  const { call: name, head, onto, picks } = input
  const composed = await composeTree(workspace, head, picks)
  const { tree, owners, claims } = composed
  const at = new Date(input.at)
  const chosen = await commitTree(workspace, { tree, parent: head, message: name, author: FIXWRIGHT, at })
  const merged = await mergeOnto(workspace, chosen, onto)
  if (merged.kind === 'conflict') return merged
  await resetTo(workspace, merged.tree, { head: onto, signal })
  const kept = narrowOwners(owners, await changedPaths(workspace, onto, merged.tree))
  const outside = (await unapproved(workspace, composed)).filter(({ path }) => Object.hasOwn(kept, path))
  const note: SnapshotNote = { owners: kept, claims, outOfScope: [], violations: [], outside, notes: [] }
  const taken = await snapshot(workspace, { name, parent: onto, at, note: JSON.stringify(note) })
  await tell(shop, session.id, [
    {
      key: `${name}/merged`,
      type: 'fix_log',
      message: `someone committed on ${workspace.branch}: the fixes are merged onto ${onto.slice(0, 10)} and judged again`,
      data: IN_PASSING,
    },
  ])
  return { kind: 'clean', work: workOf(name, input.codes, noted(taken)) }
}
