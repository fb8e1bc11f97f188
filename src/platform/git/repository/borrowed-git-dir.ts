// Whether a folder's git is its own. A `.git` may be a file or a link that names any git directory of this machine, it may name one
// whose objects and references it shares, and any folder in it may be a link; what comes as an archive can bring all of that along.
// Gaps: a git directory that stands by itself (`--separate-git-dir`) does not say whose it is, and objects may be borrowed to be read.
// Who can write into `.git` at the very moment between the look and a commit is not stopped.
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { getPathKind, readRegularFile } from '../files.ts'
import { runGit, runGitText } from '../git.ts'

/** Where its files are: in a linked worktree, what it has for itself and what it shares. */
export interface GitDirs {
  readonly gitDir: string
  readonly commonDir: string
}

/** Something that leads out of a git directory: what git writes goes there. */
export interface WriteRedirect {
  readonly via: string
  readonly target: string
}

export type GitDirOwnership =
  | ({ readonly kind: 'own' } & GitDirs)
  /** A commit would go into the repository of this folder. */
  | { readonly kind: 'elsewhere'; readonly where: string }
  | ({ readonly kind: 'led_away' } & WriteRedirect)

/** What git itself takes for the git of this folder, looked at as a whole. */
export async function inspectGitDirOwnership(root: string): Promise<GitDirOwnership> {
  const dirs = await resolveGitDirs(root)
  return (
    (await findBorrowedGitDir(root, dirs)) ??
    toOwnership(dirs, findWriteRedirect(dirs.commonDir) ?? findBranchFolderRedirect(dirs.commonDir))
  )
}

/** The same before a commit on one branch. Git is not asked about an ordinary `.git`: who writes names it (GIT_DIR). */
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
  // To the byte: what is cut off at an end, or split, could name another one.
  const revParse = async (...names: string[]): Promise<string> => {
    const { stdout } = await runGit(root, ['rev-parse', '--path-format=absolute', ...names])
    return stdout.toString().replace(/\n$/, '')
  }
  const lines = (await revParse(...asked)).split('\n')
  // A path may have a line end in it.
  const paths = lines.length === 2 ? lines : await Promise.all(asked.map((name) => revParse(name)))
  const [gitDir = '', common = ''] = await Promise.all(paths.map((path) => realpath(path)))
  return { gitDir, commonDir: common }
}

/**
 * The folder whose `.git` this one has borrowed: a commit would go into somebody else's repository. Linked worktrees, submodules and
 * git directories kept apart (`--separate-git-dir`) are what they say.
 */
async function findForeignFolder(root: string, { gitDir, commonDir }: GitDirs): Promise<string | undefined> {
  const back = readRegularFile(join(gitDir, 'gitdir'))?.trim()
  if (back !== undefined && dirname(gitDir) === join(commonDir, 'worktrees')) {
    const owner = dirname(resolve(gitDir, back))
    return (await realpath(owner).catch(() => owner)) === root ? undefined : owner
  }
  // Nothing but a linked worktree shares, and that lies where it is known of.
  if (commonDir !== gitDir) return toRepositoryFolder(commonDir)
  const isOwn = basename(gitDir) !== '.git' || dirname(gitDir) === root
  return isOwn || (await hasOwnWorkTree(root)) ? undefined : dirname(gitDir)
}

function toRepositoryFolder(gitDir: string): string {
  return basename(gitDir) === '.git' ? dirname(gitDir) : gitDir
}

/** Says in its configuration where its files are: that is then where we are. */
async function hasOwnWorkTree(root: string): Promise<boolean> {
  return (await runGitText(root, ['config', '--local', 'core.worktree'], { accept: [1] })) !== ''
}

const BRANCH_FOLDERS = ['refs/heads', 'logs/refs/heads']

/** The first link among the places that a commit on this branch is written into. */
function findWriteRedirect(common: string, branch?: string): WriteRedirect | undefined {
  const named = branch === undefined ? BRANCH_FOLDERS : BRANCH_FOLDERS.map((folder) => `${folder}/${branch}`)
  const onTheWay = ['objects', 'reftable', ...named].flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  })
  const link = onTheWay.map((path) => join(common, path)).find((path) => getPathKind(path) === 'symlink')
  // A file for each object, in one of 256 folders.
  return toWriteRedirect(link ?? listSymlinks(join(common, 'objects'))[0])
}

/** The first folder of branches that is a link: whatever the branch will be called. */
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
