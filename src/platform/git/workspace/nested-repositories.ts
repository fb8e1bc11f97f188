// Repositories inside the work tree: a `.git` below its top. git lists those in new directories, but says nothing of
// one in a directory that holds tracked files, so every directory with a file of interest is looked at.
// What lies in ignored directories is not looked for: package managers keep checkouts there.
import { dirname, join } from 'node:path'
import { getPathKind } from '../files.ts'
import { splitFields } from '../git.ts'
import type { Workspace } from './object-store.ts'
import { runWorkTreeGit } from './workspace.ts'

/** The directories, relative to the tree, that have a `.git` of their own. `tracked`: only where we track files. */
export async function findNestedRepositories(workspace: Workspace, look: 'everywhere' | 'tracked'): Promise<string[]> {
  const more = look === 'everywhere' ? ['--others', '--exclude-standard'] : []
  const { stdout } = await runWorkTreeGit(workspace, ['ls-files', '-z', '--cached', ...more])
  const folders = new Set<string>()
  for (const path of splitFields(stdout)) {
    // A repository is listed with a slash at its end, a submodule as if it were a file.
    let folder = path.replace(/\/$/, '')
    for (; folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  return [...folders].sort().filter((folder) => getPathKind(join(workspace.tree, folder, '.git')) !== 'missing')
}
