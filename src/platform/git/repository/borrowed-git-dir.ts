// Tells whether a folder's git directory is its own. A `.git` from an archive may name another one, share its objects, or hold links.
// Gaps: a `--separate-git-dir` does not name its owner; objects may be borrowed for reading; a change between check and commit is missed.
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { runGit, runGitText } from '../git.ts'
import { getPathKind, readRegularFile } from '../unruly-files.ts'

/** The two differ in a linked worktree: its own files are in `gitDir`, the shared ones in `commonDir`. */
export interface GitDirs {
  readonly gitDir: string
  readonly commonDir: string
}

/** A link that leads out of a git directory: git would write to its target. */
export interface WriteRedirect {
  readonly via: string
  readonly target: string
}

export type GitDirOwnership =
  | ({ readonly kind: 'own' } & GitDirs)
  /** A commit would go into the repository of this folder. */
  | { readonly kind: 'elsewhere'; readonly where: string }
  | ({ readonly kind: 'led_away' } & WriteRedirect)

/** Checks the git directory that git itself finds for this folder, for all branches. */
export async function inspectGitDirOwnership(root: string): Promise<GitDirOwnership> {
  const dirs = await resolveGitDirs(root)
  return (
    (await findBorrowedGitDir(root, dirs)) ??
    toOwnership(dirs, findWriteRedirect(dirs.commonDir) ?? findBranchFolderRedirect(dirs.commonDir))
  )
}

/** The same check before a commit on one branch. An ordinary `.git` needs no call of git, since the writer names it (GIT_DIR). */
export async function inspectOwnershipForBranch(root: string, branch: string): Promise<GitDirOwnership> {
  const own = join(root, '.git')
  if (getPathKind(own) === 'directory' && getPathKind(join(own, 'commondir')) === 'missing') {
    return toOwnership({ gitDir: own, commonDir: own }, findWriteRedirect(own, branch))
  }
  const dirs = await resolveGitDirs(root)
  return (await findBorrowedGitDir(root, dirs)) ?? toOwnership(dirs, findWriteRedirect(dirs.commonDir, branch))
}

async function findBorrowedGitDir(root: string, dirs: GitDirs): Promise<GitDirOwnership | undefined> {
  const where = await findForeignFolder(root, dirs)
  return where === undefined ? undefined : { kind: 'elsewhere', where }
}

function toOwnership(dirs: GitDirs, detour: WriteRedirect | undefined): GitDirOwnership {
  return detour === undefined ? { kind: 'own', ...dirs } : { kind: 'led_away', ...detour }
}

export function describeWriteRedirect({ via, target }: WriteRedirect): string {
  return `${via} leads to ${target}, and commits would be written there`
}

async function resolveGitDirs(root: string): Promise<GitDirs> {
  const asked = ['--git-dir', '--git-common-dir']
  // Not trimmed: a path that lost a byte could name another directory.
  const revParse = async (...names: string[]): Promise<string> => {
    const { stdout } = await runGit(root, ['rev-parse', '--path-format=absolute', ...names])
    return stdout.toString().replace(/\n$/, '')
  }
  const lines = (await revParse(...asked)).split('\n')
  // A path may contain a line end.
  const paths = lines.length === 2 ? lines : await Promise.all(asked.map((name) => revParse(name)))
  const [gitDir = '', common = ''] = await Promise.all(paths.map((path) => realpath(path)))
  return { gitDir, commonDir: common }
}

/**
 * The folder whose `.git` this one has borrowed: a commit would go into that repository. Linked worktrees, submodules and separate git
 * directories (`--separate-git-dir`) are not borrowed.
 */
async function findForeignFolder(root: string, { gitDir, commonDir }: GitDirs): Promise<string | undefined> {
  const back = readRegularFile(join(gitDir, 'gitdir'))?.trim()
  if (back !== undefined && dirname(gitDir) === join(commonDir, 'worktrees')) {
    const owner = dirname(resolve(gitDir, back))
    return (await realpath(owner).catch(() => owner)) === root ? undefined : owner
  }
  // Only a linked worktree may share, and its git directory lies in the `worktrees` folder of the shared one.
  if (commonDir !== gitDir) return toRepositoryFolder(commonDir)
  const isOwn = basename(gitDir) !== '.git' || dirname(gitDir) === root
  return isOwn || (await hasOwnWorkTree(root)) ? undefined : dirname(gitDir)
}

function toRepositoryFolder(gitDir: string): string {
  return basename(gitDir) === '.git' ? dirname(gitDir) : gitDir
}

/** Whether its configuration names a work tree (`core.worktree`). Git found this folder by that, so the folder is its own. */
async function hasOwnWorkTree(root: string): Promise<boolean> {
  return (await runGitText(root, ['config', '--local', 'core.worktree'], { accept: [1] })) !== ''
}

const BRANCH_FOLDERS = ['refs/heads', 'logs/refs/heads']

function findWriteRedirect(common: string, branch?: string): WriteRedirect | undefined {
  const named = branch === undefined ? BRANCH_FOLDERS : BRANCH_FOLDERS.map((folder) => `${folder}/${branch}`)
  const onTheWay = ['objects', 'reftable', ...named].flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  })
  const link = onTheWay.map((path) => join(common, path)).find((path) => getPathKind(path) === 'symlink')
  // Each of the 256 folders of loose objects may be a link as well.
  return toWriteRedirect(link ?? listSymlinks(join(common, 'objects'))[0])
}

/** The first folder of branches that is a link, whatever the branch will be called. */
function findBranchFolderRedirect(common: string): WriteRedirect | undefined {
  return toWriteRedirect(BRANCH_FOLDERS.flatMap((folder) => listLinkedFolders(join(common, folder)))[0])
}

function listLinkedFolders(folder: string): string[] {
  const entries = getPathKind(folder) === 'directory' ? readdirSync(folder, { withFileTypes: true }) : []
  const inner = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => listLinkedFolders(join(folder, name)))
  return [...listSymlinks(folder).filter((link) => statSync(link, { throwIfNoEntry: false })?.isDirectory()), ...inner]
}

function listSymlinks(folder: string): string[] {
  const entries = getPathKind(folder) === 'directory' ? readdirSync(folder, { withFileTypes: true }) : []
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name))
}

function toWriteRedirect(link: string | undefined): WriteRedirect | undefined {
  return link === undefined ? undefined : { via: link, target: resolve(dirname(link), readlinkSync(link)) }
}
