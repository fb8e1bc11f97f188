// The contents of changed files before and after, for rules about what a change brings; and which names stand where in a tree.
import { diffTrees } from '../compare-trees.ts'
import { decodeRawPath, splitFields } from '../git.ts'
import { SUBMODULE_MODE } from '../repository/list-tree.ts'
import { readSizedBlobs, type SizedBlob } from '../repository/read-blobs.ts'
import { LIST_FLAGS } from './diff.ts'
import type { Workspace } from './object-store.ts'
import { runWorkspaceGit } from './workspace.ts'

export interface ChangedContent {
  readonly path: string
  /** No file had this name before, though a renamed one had another. */
  readonly isNewName: boolean
  /** Undefined if the file was not there. */
  readonly before: BlobContent | undefined
  /** Undefined if the file is gone. */
  readonly now: BlobContent | undefined
}

interface BlobContent extends SizedBlob {
  readonly mode: string
}

/** The changed files by their names now; a renamed file has its content before from its old name. Submodules are left out. */
export async function readChangedContents(
  workspace: Pick<Workspace, 'gitDir'>,
  range: { readonly from: string; readonly to: string },
  maxBytes: number,
): Promise<ChangedContent[]> {
  const stdout = await diffTrees(workspace, LIST_FLAGS, range.from, range.to)
  const fields = splitFields(stdout)
  const found: { path: string; isNewName: boolean; ends: readonly { mode: string; sha: string }[] }[] = []
  for (let at = 0; at + 1 < fields.length; ) {
    const [modeBefore = '', mode = '', shaBefore = '', sha = '', status = ''] = fields[at]!.slice(1).split(' ')
    const names = status.startsWith('R') ? 2 : 1
    const ends = [
      { mode: modeBefore, sha: shaBefore },
      { mode, sha },
    ]
    found.push({ path: fields[at + names]!, isNewName: /^[AR]/.test(status), ends })
    at += 1 + names
  }
  const shas = [...new Set(found.flatMap(({ ends }) => ends.filter(isBlob).map(({ sha }) => sha)))]
  const read = await readSizedBlobs(workspace.gitDir, shas, maxBytes)
  const blobs = new Map(shas.map((sha, index) => [sha, read[index]]))
  const load = (end: { mode: string; sha: string } | undefined): BlobContent | undefined => {
    const blob = end && isBlob(end) ? blobs.get(end.sha) : undefined
    return blob && { ...blob, mode: end?.mode ?? '' }
  }
  return found.map(({ ends: [before, now], ...file }) => ({ ...file, before: load(before), now: load(now) }))
}

function isBlob({ mode }: { readonly mode: string }): boolean {
  return mode !== '000000' && mode !== SUBMODULE_MODE
}

/** The most names in one run of git, whose arguments are bounded. */
const NAMES_PER_RUN = 100

/** Name → the files of the tree in which it stands as a word. */
export async function findNamesInTree(
  workspace: Pick<Workspace, 'gitDir'>,
  tree: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map(names.map((name) => [name, new Set<string>()]))
  for (let from = 0; from < names.length; from += NAMES_PER_RUN) {
    const patterns = names.slice(from, from + NAMES_PER_RUN).flatMap((name) => ['-e', name])
    const args = ['grep', '-I', '-F', '-w', '-o', '-z', ...patterns, tree]
    const { stdout } = await runWorkspaceGit(workspace, args, { accept: [1] })
    for (const line of stdout.toString('latin1').split('\n')) {
      const end = line.indexOf('\0')
      if (end < 0) continue
      found.get(decodeRawPath(line.slice(end + 1)))?.add(decodeRawPath(line.slice(tree.length + 1, end)))
    }
  }
  return found
}
