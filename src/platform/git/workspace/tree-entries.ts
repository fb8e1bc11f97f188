// The files of a tree, by their hashes: what is the same needs not be read to be known.
import { rawFields, readable } from '../git.ts'
import type { Workspace } from './object-store.ts'
import { ownGit } from './workspace.ts'

export interface Entry {
  readonly mode: string
  readonly sha: string
  readonly path: string
}

export async function entriesOf(workspace: Workspace, tree: string): Promise<Entry[]> {
  const { stdout } = await ownGit(workspace, ['ls-tree', '-r', '-z', '--full-tree', tree])
  return rawFields(stdout).map((line) => {
    const [mode = '', , sha = ''] = line.slice(0, line.indexOf('\t')).split(' ')
    return { mode, sha, path: readable(line.slice(line.indexOf('\t') + 1)) }
  })
}
