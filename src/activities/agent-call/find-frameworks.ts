// Finds the frameworks that a session's repository uses, as of its base commit.
import { type Framework, namesFrameworks, readFrameworks } from '../../domain/issue/frameworks.ts'
import { listFilesAtCommit, listTree } from '../../platform/git/repository/list-tree.ts'
import { readBlobTexts } from '../../platform/git/repository/read-blobs.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'

/** The manifests nearest to the root are read first. */
const MAX_MANIFESTS = 50
const MAX_MANIFEST_BYTES = 1 << 18

export async function findFrameworks({ gitDir, base }: Pick<Workspace, 'gitDir' | 'base'>): Promise<Framework[]> {
  const paths = (await listTree(gitDir, base)).all().flatMap(({ path }) => (namesFrameworks(path) ? [path] : []))
  const nearest = paths
    .toSorted((one, other) => one.split('/').length - other.split('/').length)
    .slice(0, MAX_MANIFESTS)
  if (nearest.length === 0) return []
  const files = (await listFilesAtCommit(gitDir, base, nearest)).filter(({ bytes }) => bytes <= MAX_MANIFEST_BYTES)
  const texts = await readBlobTexts(
    gitDir,
    files.map(({ sha }) => sha),
  )
  return readFrameworks(files.map(({ path }, index) => ({ path, text: texts[index] ?? '' })))
}
