// Everything that a commit's tree holds, in one list.
import { git, rawFields, readable } from './git.ts'

export interface TreeEntry {
  readonly mode: string
  readonly sha: string
  readonly path: string
}

export const SUBMODULE = '160000'

export async function listTree(root: string, commit: string): Promise<TreeEntry[]> {
  const { stdout } = await git(root, ['ls-tree', '-r', '-z', '--full-tree', commit])
  return rawFields(stdout).map((line) => {
    const tab = line.indexOf('\t')
    const [mode = '', , sha = ''] = line.slice(0, tab).split(' ')
    return { mode, sha, path: readable(line.slice(tab + 1)) }
  })
}

/** A regular file, executable or not. */
export function isFile({ mode }: TreeEntry): boolean {
  return mode.startsWith('100')
}
