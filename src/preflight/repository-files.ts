// A commit's files for the importers, read from git and not from the work tree, as the fixer sees them.
import type { RepositoryFiles } from '../integrations/importers/import-findings.ts'
import { isRegularFile, listTree, type TreeEntry } from '../platform/git/repository/list-tree.ts'
import { readSmallBlobs } from '../platform/git/repository/read-blobs.ts'

export interface CommitReference {
  readonly root: string
  readonly commit: string
}

/** Larger files are made by programs; a finding in one is recognised by what the report says. */
const MAX_FILE_BYTES = 1 << 20

export function openRepositoryFiles({ root, commit }: CommitReference): RepositoryFiles {
  let listing: Promise<readonly TreeEntry[]> | undefined
  const list = () => (listing ??= listTree(root, commit).then((tree) => tree.all().filter(isRegularFile)))
  return {
    root,
    list: async () => (await list()).map(({ path }) => path),
    async read(paths) {
      if (paths.length === 0) return new Map()
      const wanted = new Set(paths)
      const entries = (await list()).filter(({ path }) => wanted.has(path))
      const blobs = await readSmallBlobs(
        root,
        entries.map(({ sha }) => sha),
        MAX_FILE_BYTES,
      )
      return new Map(entries.flatMap(({ path }, index) => (blobs[index] ? [[path, blobs[index].toString()]] : [])))
    },
  }
}
