// The symbolic links of a tree: where a path really leads is known only with all of them.

import { readBlobTexts } from '../repository/inspect.ts'
import type { Workspace } from './object-store.ts'
import { listTreeEntries } from './tree-entries.ts'

/** Path → what the link points to. */
export async function readSymlinkTargets(workspace: Workspace, tree: string): Promise<ReadonlyMap<string, string>> {
  const links = (await listTreeEntries(workspace, tree)).filter(({ mode }) => mode === '120000')
  const targets = await readBlobTexts(
    workspace.gitDir,
    links.map(({ sha }) => sha),
  )
  return new Map(links.map(({ path }, index) => [path, targets[index]!]))
}
