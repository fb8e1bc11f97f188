// The symbolic links of a tree: where a path really leads is known only with all of them.

import { readBlobs } from '../repository/inspect.ts'
import type { Workspace } from './object-store.ts'
import { entriesOf } from './tree-entries.ts'

/** Path → what the link points to. */
export async function linksOf(workspace: Workspace, tree: string): Promise<ReadonlyMap<string, string>> {
  const links = (await entriesOf(workspace, tree)).filter(({ mode }) => mode === '120000')
  const targets = await readBlobs(
    workspace.gitDir,
    links.map(({ sha }) => sha),
  )
  return new Map(links.map(({ path }, index) => [path, targets[index]!]))
}
