// Reads one commit of the person's repository, for a report written long after the workspace is gone.
import { runGit, runGitText } from '../git.ts'

export interface CommitContent {
  readonly tree: string
  readonly diff: string
}

/** Throws `GitError` if the commit or the repository is gone. */
export async function readCommitContent(root: string, commit: string): Promise<CommitContent> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new RangeError(`"${commit}" is no commit`)
  const tree = await runGitText(root, ['rev-parse', '--verify', `${commit}^{tree}`])
  const flags = ['-r', '-p', '--find-renames', '--no-color', '--no-ext-diff', '--no-textconv']
  const { stdout } = await runGit(root, ['diff-tree', ...flags, `${commit}^`, commit])
  return { tree, diff: stdout.toString() }
}
