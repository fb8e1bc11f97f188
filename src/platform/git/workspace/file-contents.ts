// Reads files of a tree, and makes a tree with other contents, without a work tree.
import { splitRawFields } from '../git.ts'
import { readSmallBlobs } from '../repository/inspect.ts'
import { isRegularFile, parseTreeEntry } from '../repository/list-tree.ts'
import { writeTreeWith } from './commits.ts'
import type { Workspace } from './object-store.ts'
import { runWorkspaceGit, runWorkspaceGitText } from './workspace.ts'

export interface TreeFile {
  readonly mode: string
  readonly content: Buffer
}

/** Larger files are not read. */
const MAX_BYTES = 1_000_000

/** The regular files among these paths that are there and not too large. */
export async function readTreeFiles(
  workspace: Workspace,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeFile>> {
  if (paths.length === 0) return new Map()
  const { stdout } = await runWorkspaceGit(workspace, ['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...paths])
  const entries = splitRawFields(stdout)
    .map(parseTreeEntry)
    .filter((entry) => isRegularFile(entry) && paths.includes(entry.path))
  const contents = await readSmallBlobs(
    workspace.gitDir,
    entries.map(({ sha }) => sha),
    MAX_BYTES,
  )
  return new Map(
    entries.flatMap(({ path, mode }, index) => {
      const content = contents[index]
      return content ? [[path, { mode, content }] as const] : []
    }),
  )
}

/** The tree with these files in the place of its own. */
export async function replaceTreeFiles(
  workspace: Workspace,
  tree: string,
  files: ReadonlyMap<string, TreeFile>,
): Promise<string> {
  const lines: string[] = []
  for (const [path, { mode, content }] of files) {
    const sha = await runWorkspaceGitText(workspace, ['hash-object', '-w', '--stdin'], { input: content })
    lines.push(`${mode} ${sha}\t${Buffer.from(path).toString('latin1')}\0`)
  }
  return await writeTreeWith(workspace, tree, lines)
}
