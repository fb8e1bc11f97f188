// Finds repositories inside the work tree. Git does not report one in a directory with tracked files, so every directory is checked,
// except ignored ones: package managers keep checkouts there.
import { dirname, join } from 'node:path'
import { getPathKind } from '../files.ts'
import { splitFields } from '../git.ts'
import type { Workspace } from './object-store.ts'
import { runWorkTreeGit } from './workspace.ts'

/** The directories, relative to the tree, that have their own `.git`. `tracked`: only directories with tracked files. */
export async function findNestedRepositories(workspace: Workspace, look: 'everywhere' | 'tracked'): Promise<string[]> {
  const more = look === 'everywhere' ? ['--others', '--exclude-standard'] : []
  const { stdout } = await runWorkTreeGit(workspace, ['ls-files', '-z', '--cached', ...more])
  const folders = new Set<string>()
  for (const path of splitFields(stdout)) {
    // Git lists a repository with a slash at its end, and a submodule like a file.
    let folder = path.replace(/\/$/, '')
    for (; folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  return [...folders].sort().filter((folder) => getPathKind(join(workspace.tree, folder, '.git')) !== 'missing')
}
