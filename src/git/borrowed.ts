// Whether a folder's git is its own. A `.git` may be a file or a link that names any git directory of this machine; what comes as
// an archive can bring one along.
// Gap: a git directory that stands by itself (`--separate-git-dir`) does not say whose it is.
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { kindOf, readPlain } from './files.ts'
import { gitText } from './git.ts'

/**
 * The folder whose `.git` this one has borrowed, by a file or a link in the place of its own: a commit would go into somebody else's
 * repository. Linked worktrees, submodules and git directories kept apart (`--separate-git-dir`) are what they say.
 */
export async function otherFolder(root: string): Promise<string | undefined> {
  if (kindOf(join(root, '.git')) === 'directory') return undefined
  const gitDir = await realpath(await gitText(root, ['rev-parse', '--absolute-git-dir'], { personal: true }))
  const back = readPlain(join(gitDir, 'gitdir'))?.trim()
  if (back !== undefined) {
    const owner = dirname(resolve(gitDir, back))
    return (await realpath(owner).catch(() => owner)) === root ? undefined : owner
  }
  const isOwn = basename(gitDir) !== '.git' || dirname(gitDir) === root
  return isOwn || (await hasOwnWorkTree(root)) ? undefined : dirname(gitDir)
}

/** Says in its configuration where its files are: that is then where we are. */
async function hasOwnWorkTree(root: string): Promise<boolean> {
  return (await gitText(root, ['config', '--local', 'core.worktree'], { accept: [1] })) !== ''
}
