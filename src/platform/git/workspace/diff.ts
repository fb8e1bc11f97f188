// Compares two commits or trees: a list for rules, a unified diff for readers. No external tool runs, and names are not quoted.
// The tree's attributes don't apply: an agent could declare its files binary to hide them.
import { diffTrees } from '../compare-trees.ts'
import { splitFields } from '../git.ts'
import { SUBMODULE_MODE, SYMLINK_MODE } from '../repository/list-tree.ts'
import { readBlobTexts } from '../repository/read-blobs.ts'
import type { Workspace } from './object-store.ts'
import { runWorkspaceGit } from './workspace.ts'

export interface Change {
  readonly path: string
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed' | 'typechange'
  /** The old name of a renamed file. */
  readonly from?: string
  /** The target, if it is a symbolic link now. */
  readonly symlink?: string
  /** Git's mode now: 100644, 100755, 120000 for a link, 160000 for a submodule, 000000 when deleted. */
  readonly mode: string
  /** Set if it is or was a submodule. */
  readonly submodule?: true
}

const STATUS_KINDS = { A: 'added', M: 'modified', D: 'deleted', R: 'renamed', T: 'typechange' } as const

/** Make `diff-tree` print a raw list with renames. */
export const LIST_FLAGS = ['-r', '-z', '--find-renames']
const TEXT_FLAGS = ['-r', '-p', '--find-renames', '--no-color', '--no-ext-diff', '--no-textconv']

export async function listChanges(workspace: Pick<Workspace, 'gitDir'>, from: string, to: string): Promise<Change[]> {
  const stdout = await diffTrees(workspace, LIST_FLAGS, from, to)
  const parts = splitFields(stdout)
  const found: (Change & { readonly sha: string })[] = []
  for (let at = 0; at + 1 < parts.length; ) {
    const [before, mode, , sha, status] = parts[at]!.split(' ')
    const kind = STATUS_KINDS[status![0] as keyof typeof STATUS_KINDS]
    const renamed = kind === 'renamed'
    found.push({
      path: parts[at + (renamed ? 2 : 1)]!,
      kind,
      ...(renamed ? { from: parts[at + 1]! } : {}),
      mode: mode!,
      ...([before, mode].some((each) => each!.endsWith(SUBMODULE_MODE)) ? { submodule: true } : {}),
      sha: sha!,
    })
    at += renamed ? 3 : 2
  }
  const links = found.filter((change) => change.mode === SYMLINK_MODE)
  const targets = await readBlobTexts(
    workspace.gitDir,
    links.map((link) => link.sha),
  )
  return found.map(({ sha: _, ...change }) => {
    const link = links.findIndex((other) => other.path === change.path)
    return change.mode === SYMLINK_MODE ? { ...change, symlink: targets[link]! } : change
  })
}

/** The unified diff of some or all paths. A renamed file shows as a rename if both its names are in `paths`. */
export async function diffText(
  workspace: Pick<Workspace, 'gitDir'>,
  from: string,
  to: string,
  paths?: readonly string[],
): Promise<string> {
  if (paths?.length === 0) return ''
  if (paths === undefined || (await areAllChanges(workspace, { from, to }, paths))) {
    return (await diffTrees(workspace, TEXT_FLAGS, from, to)).toString()
  }
  const { stdout } = await runWorkspaceGit(workspace, ['diff-tree', ...TEXT_FLAGS, from, to, '--', ...paths], {
    objects: [from, to],
  })
  return stdout.toString()
}

async function areAllChanges(
  workspace: Pick<Workspace, 'gitDir'>,
  { from, to }: { readonly from: string; readonly to: string },
  paths: readonly string[],
): Promise<boolean> {
  const named = new Set(paths)
  const changes = await listChanges(workspace, from, to)
  return changes.every(({ path, from: before = path }) => named.has(path) && named.has(before))
}
