// The symbolic links of a tree: where a path really leads is known only with all of them.
import { fields } from './git.ts'
import { readBlobs } from './repository.ts'
import { ownGit, type Workspace } from './workspace.ts'

/** Path → what the link points to. */
export async function linksOf(workspace: Workspace, tree: string): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await ownGit(workspace, ['ls-tree', '-r', '-z', '--full-tree', tree])
  const links = fields(stdout).flatMap((line) => {
    const match = /^120000 blob ([0-9a-f]+)\t(.*)$/s.exec(line)
    return match ? [{ sha: match[1]!, path: match[2]! }] : []
  })
  const targets = await readBlobs(
    workspace.gitDir,
    links.map(({ sha }) => sha),
  )
  return new Map(links.map(({ path }, index) => [path, targets[index]!]))
}
