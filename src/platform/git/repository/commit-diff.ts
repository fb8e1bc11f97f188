// What one commit of a person's repository holds, for a report that is written long after the workspace is gone. Reads only.
import { git, gitText } from '../git.ts'

export interface Committed {
  readonly tree: string
  readonly diff: string
}

/** Throws `GitError` where the commit, or the repository, is gone. */
export async function committed(root: string, commit: string): Promise<Committed> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new RangeError(`"${commit}" is no commit`)
  const tree = await gitText(root, ['rev-parse', '--verify', `${commit}^{tree}`])
  const flags = ['-r', '-p', '--find-renames', '--no-color', '--no-ext-diff', '--no-textconv']
  const { stdout } = await git(root, ['diff-tree', ...flags, `${commit}^`, commit])
  return { tree, diff: stdout.toString() }
}
