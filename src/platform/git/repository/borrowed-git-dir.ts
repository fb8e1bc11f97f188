// Whether a folder's git is its own. A `.git` may be a file or a link that names any git directory of this machine, it may name one
// whose objects and references it shares, and any folder in it may be a link; what comes as an archive can bring all of that along.
// Gaps: a git directory that stands by itself (`--separate-git-dir`) does not say whose it is, and objects may be borrowed to be read.
// Who can write into `.git` at the very moment between the look and a commit is not stopped.
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { kindOf, readPlain } from '../files.ts'
import { git, gitText } from '../git.ts'

/** Where its files are: in a linked worktree, what it has for itself and what it shares. */
export interface GitDirs {
  readonly gitDir: string
  readonly common: string
}

/** Something that leads out of a git directory: what git writes goes there. */
export interface Detour {
  readonly by: string
  readonly where: string
}

export type Standing =
  | ({ readonly kind: 'own' } & GitDirs)
  /** A commit would go into the repository of this folder. */
  | { readonly kind: 'elsewhere'; readonly where: string }
  | ({ readonly kind: 'led_away' } & Detour)

/** What git itself takes for the git of this folder, looked at as a whole. */
export async function standingOf(root: string): Promise<Standing> {
  const dirs = await gitDirsOf(root)
  return (await borrowed(root, dirs)) ?? onItsWay(dirs, detourIn(dirs.common) ?? detourBelow(dirs.common))
}

/** The same before a commit on one branch. Git is not asked about an ordinary `.git`: who writes names it (GIT_DIR). */
export async function standingFor(root: string, branch: string): Promise<Standing> {
  const own = join(root, '.git')
  if (kindOf(own) === 'directory' && kindOf(join(own, 'commondir')) === 'missing') {
    return onItsWay({ gitDir: own, common: own }, detourIn(own, branch))
  }
  const dirs = await gitDirsOf(root)
  return (await borrowed(root, dirs)) ?? onItsWay(dirs, detourIn(dirs.common, branch))
}

async function borrowed(root: string, dirs: GitDirs): Promise<Standing | undefined> {
  const where = await otherFolder(root, dirs)
  return where === undefined ? undefined : { kind: 'elsewhere', where }
}

function onItsWay(dirs: GitDirs, detour: Detour | undefined): Standing {
  return detour === undefined ? { kind: 'own', ...dirs } : { kind: 'led_away', ...detour }
}

export function detourInWords({ by, where }: Detour): string {
  return `${by} leads to ${where}, and commits would be written there`
}

async function gitDirsOf(root: string): Promise<GitDirs> {
  const asked = ['--git-dir', '--git-common-dir']
  // To the byte: what is cut off at an end, or split, could name another one.
  const say = async (...names: string[]): Promise<string> => {
    const { stdout } = await git(root, ['rev-parse', '--path-format=absolute', ...names])
    return stdout.toString().replace(/\n$/, '')
  }
  const lines = (await say(...asked)).split('\n')
  // A path may have a line end in it.
  const paths = lines.length === 2 ? lines : await Promise.all(asked.map((name) => say(name)))
  const [gitDir = '', common = ''] = await Promise.all(paths.map((path) => realpath(path)))
  return { gitDir, common }
}

/**
 * The folder whose `.git` this one has borrowed: a commit would go into somebody else's repository. Linked worktrees, submodules and
 * git directories kept apart (`--separate-git-dir`) are what they say.
 */
async function otherFolder(root: string, { gitDir, common }: GitDirs): Promise<string | undefined> {
  const back = readPlain(join(gitDir, 'gitdir'))?.trim()
  if (back !== undefined && dirname(gitDir) === join(common, 'worktrees')) {
    const owner = dirname(resolve(gitDir, back))
    return (await realpath(owner).catch(() => owner)) === root ? undefined : owner
  }
  // Nothing but a linked worktree shares, and that lies where it is known of.
  if (common !== gitDir) return folderOf(common)
  const isOwn = basename(gitDir) !== '.git' || dirname(gitDir) === root
  return isOwn || (await hasOwnWorkTree(root)) ? undefined : dirname(gitDir)
}

function folderOf(gitDir: string): string {
  return basename(gitDir) === '.git' ? dirname(gitDir) : gitDir
}

/** Says in its configuration where its files are: that is then where we are. */
async function hasOwnWorkTree(root: string): Promise<boolean> {
  return (await gitText(root, ['config', '--local', 'core.worktree'], { accept: [1] })) !== ''
}

const HEADS = ['refs/heads', 'logs/refs/heads']

/** The first link among the places that a commit on this branch is written into. */
function detourIn(common: string, branch?: string): Detour | undefined {
  const named = branch === undefined ? HEADS : HEADS.map((folder) => `${folder}/${branch}`)
  const onTheWay = ['objects', 'reftable', ...named].flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  })
  const link = onTheWay.map((path) => join(common, path)).find((path) => kindOf(path) === 'symlink')
  // A file for each object, in one of 256 folders.
  return detourOf(link ?? linksIn(join(common, 'objects'))[0])
}

/** The first folder of branches that is a link: whatever the branch will be called. */
function detourBelow(common: string): Detour | undefined {
  return detourOf(HEADS.flatMap((folder) => linkedFoldersBelow(join(common, folder)))[0])
}

function linkedFoldersBelow(folder: string): string[] {
  const entries = kindOf(folder) === 'directory' ? readdirSync(folder, { withFileTypes: true }) : []
  const inner = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => linkedFoldersBelow(join(folder, name)))
  return [...linksIn(folder).filter((link) => statSync(link, { throwIfNoEntry: false })?.isDirectory()), ...inner]
}

function linksIn(folder: string): string[] {
  const entries = kindOf(folder) === 'directory' ? readdirSync(folder, { withFileTypes: true }) : []
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name))
}

function detourOf(link: string | undefined): Detour | undefined {
  return link === undefined ? undefined : { by: link, where: resolve(dirname(link), readlinkSync(link)) }
}
