// Writes the judged tree into a folder that a challenger may read: exactly its text files, masked, without what instructs agents.
// Gap: links, binary and huge files are left out, and of a very large tree what lies farthest from the change.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isAgentFile } from '../../domain/scope/agent-files.ts'
import { isRegularFile, listTree } from '../../platform/git/repository/list-tree.ts'
import { readSizedBlobs } from '../../platform/git/repository/read-blobs.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { recreateFolder } from '../../platform/sandbox/scratch-folders.ts'
import type { ActivityContext } from '../context.ts'

const MAX_FILES = 3000
const MAX_FILE_BYTES = 1 << 18
const MAX_TOTAL_BYTES = 20 << 20

export interface ReadableTree {
  readonly folder: string
  readonly files: number
  /** Files of the tree that are not there. */
  readonly omitted: number
}

export async function writeReadableTree(
  { masking }: Pick<ActivityContext, 'masking'>,
  { gitDir }: Pick<Workspace, 'gitDir'>,
  { tree, changed, folder }: { readonly tree: string; readonly changed: readonly string[]; readonly folder: string },
): Promise<ReadableTree> {
  const all = (await listTree(gitDir, tree)).all()
  const near = all
    .filter((entry) => isRegularFile(entry) && !isAgentFile(entry.path))
    .map((entry) => ({ ...entry, distance: distanceFrom(changed, entry.path) }))
    .sort((one, other) => one.distance - other.distance || (one.path < other.path ? -1 : 1))
    .slice(0, MAX_FILES)
  const blobs = await readSizedBlobs(
    gitDir,
    near.map(({ sha }) => sha),
    MAX_FILE_BYTES,
  )
  await recreateFolder(folder)
  let [files, bytes] = [0, 0]
  for (const [index, { path }] of near.entries()) {
    const content = blobs[index]?.content
    if (content === undefined || content.includes(0) || bytes + content.length > MAX_TOTAL_BYTES) continue
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), await masking.maskKeepingLines(content.toString()), { mode: 0o444 })
    files += 1
    bytes += content.length
  }
  return { folder, files, omitted: all.length - files }
}

/** Steps through folders from the nearest changed file. */
function distanceFrom(changed: readonly string[], path: string): number {
  const own = path.split('/')
  const distances = changed.map((other) => {
    const names = other.split('/')
    const shared = names.findIndex((name, index) => name !== own[index])
    return shared < 0 ? 0 : names.length + own.length - 2 * shared
  })
  return Math.min(...distances, own.length)
}
