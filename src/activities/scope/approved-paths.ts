// A person's approvals of a snapshot's files, kept beside it in git, so that no later work carries in other files.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import { SnapshotApproval } from '../../domain/stage/snapshot-metadata.ts'
import { FIXWRIGHT_IDENTITY } from '../../platform/git/git.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readSnapshot, saveCommit } from '../../platform/git/workspace/snapshot-and-reset.ts'
import type { ComposedTree } from '../fix/compose-tree.ts'
import type { ParsedSnapshot } from '../fix/snapshot-metadata.ts'

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
