// The files of a tree, by their hashes: what is the same needs not be read to be known.
import { decodeRawPath, splitRawFields } from '../git.ts'
import type { Workspace } from './object-store.ts'
import { runWorkspaceGit } from './workspace.ts'

export interface Entry {
  readonly mode: string
  readonly sha: string
  readonly path: string
}

export async function listTreeEntries(workspace: Workspace, tree: string): Promise<Entry[]> {
  const { stdout } = await runWorkspaceGit(workspace, ['ls-tree', '-r', '-z', '--full-tree', tree])
  return splitRawFields(stdout).map((line) => {
    const [mode = '', , sha = ''] = line.slice(0, line.indexOf('\t')).split(' ')
    return { mode, sha, path: decodeRawPath(line.slice(line.indexOf('\t') + 1)) }
  })
}
