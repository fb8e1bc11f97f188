// A git directory of our own with the objects of a repository, for work that writes objects or speaks to a remote: the person's repository
// is only read, and nothing of its configuration counts.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildGitDirectory } from '../workspace/object-store.ts'

export interface OwnGitDir {
  /** The person's repository. */
  readonly root: string
  /** A place for it; what is there is removed, before and after. */
  readonly folder: string
  readonly commit: string
  /** The name of its one branch, which is at the commit. */
  readonly branch?: string | undefined
}

export async function withOwnGitDir<T>(
  { root, folder, commit, branch = 'base' }: OwnGitDir,
  work: (gitDir: string) => Promise<T>,
): Promise<T> {
  rmSync(folder, { recursive: true, force: true })
  try {
    const gitDir = join(folder, 'git')
    mkdirSync(gitDir, { recursive: true, mode: 0o700 })
    await buildGitDirectory(gitDir, { root, commit, branch, ignore: [] })
    return await work(gitDir)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
