import { listFilesAtCommit } from '../../src/platform/git/repository/list-tree.ts'
import { readBlobTexts } from '../../src/platform/git/repository/read-blobs.ts'

/** The texts of regular files of a commit; what is none (a link, a directory, a submodule) is left out. */
export async function readFilesAt(
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const blobs = await listFilesAtCommit(root, commit, paths)
  const contents = await readBlobTexts(
    root,
    blobs.map((blob) => blob.sha),
  )
  for (const [index, blob] of blobs.entries()) files.set(blob.path, contents[index]!)
  return files
}
