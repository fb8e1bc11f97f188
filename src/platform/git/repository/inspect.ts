// Inspects the person's repository without changing it. Its root is the real path of the top level, so each repository has one name.
// A linked worktree is a repository like any other.
import { realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { GitError, type GitOptions, runGit, runGitText, splitFields } from '../git.ts'
import { getPathKind, readRegularFile } from '../unruly-files.ts'
import { type GitDirOwnership, inspectGitDirOwnership, type WriteRedirect } from './borrowed-git-dir.ts'

export interface Identity {
  readonly name: string
  readonly email: string
}

export interface Repository {
  readonly kind: 'repository'
  readonly root: string
  readonly head: string
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined
  readonly shallow: boolean
  /** Staged, unstaged, and untracked but not ignored. */
  readonly dirty: readonly string[]
  readonly defaultBranch: string | undefined
  /** From the person's own git configuration. */
  readonly identity: Identity | undefined
  readonly config: GitConfig
}

/** Git's configuration from all scopes, by lower-case name. The last value wins. */
export type GitConfig = ReadonlyMap<string, { readonly value: string; readonly scope: string }>

export type RepositoryInspection =
  | Repository
  | { readonly kind: 'not_a_repository'; readonly path: string }
  /** Its git points to the files or the git directory of another folder. */
  | { readonly kind: 'elsewhere'; readonly path: string; readonly where: string }
  /** Its git directory is its own, but a link in it leads out. */
  | ({ readonly kind: 'led_away'; readonly path: string } & WriteRedirect)
  | { readonly kind: 'bare'; readonly path: string }
  | { readonly kind: 'no_commits'; readonly root: string }

export async function inspectRepository(path: string): Promise<RepositoryInspection> {
  const isDirectory = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  if (!isDirectory) return { kind: 'not_a_repository', path }
  const real = await realpath(path)
  const asked = ['rev-parse', '--is-bare-repository', '--is-shallow-repository', '--show-toplevel']
  const [facts, config] = await Promise.all([
    runGitText(real, asked, { personal: true, accept: [128] }),
    readConfig(real),
  ])
  // In a bare repository and inside `.git`, git prints the first two lines and fails on the third.
  const [bare, shallow, ...toplevel] = facts.split('\n')
  if (bare === 'true') return { kind: 'bare', path: real }
  if (toplevel.length === 0) {
    await throwIfGitRefused(real)
    return { kind: 'not_a_repository', path: real }
  }
  const root = await realpath(toplevel.join('\n'))
  const isInside = real === root || real.startsWith(`${root}/`)
  const standing = isInside
    ? await inspectRepositoryOwnership(root, config)
    : ({ kind: 'elsewhere', where: root } as const)
  if (standing.kind !== 'own') return { path: real, ...standing }
  const [status, defaultBranch] = await Promise.all([readStatus(root, config), readDefaultBranch(root)])
  if (status.head === undefined) return { kind: 'no_commits', root }
  return {
    kind: 'repository',
    root,
    head: status.head,
    branch: status.branch,
    shallow: shallow === 'true',
    dirty: status.dirty,
    defaultBranch,
    identity: parseIdentity(config),
    config,
  }
}

// Since git 2.54, the references may be in any folder: `files://FOLDER`.
async function inspectRepositoryOwnership(root: string, config: GitConfig): Promise<GitDirOwnership> {
  const references = config.get('extensions.refstorage')?.value ?? 'files'
  if (['files', 'reftable'].includes(references)) return await inspectGitDirOwnership(root)
  return { kind: 'led_away', via: 'extensions.refStorage', target: references }
}

// A repository that git refuses to touch (another owner, a broken configuration) is not "no repository".
async function throwIfGitRefused(path: string): Promise<void> {
  const args = ['rev-parse', '--git-dir']
  const { code, stderr } = await runGit(path, args, { personal: true, accept: [128] })
  if (code !== 0 && !stderr.includes('not a git repository')) throw new GitError(path, args, { code, stderr })
}

interface WorkTreeStatus {
  readonly head: string | undefined
  readonly branch: string | undefined
  readonly dirty: readonly string[]
}

async function readStatus(root: string, config: GitConfig): Promise<WorkTreeStatus> {
  const args = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    '--no-ahead-behind',
  ]
  const call = { personal: true, config: buildNoFiltersConfig(config) }
  const { stdout } = await runGit(root, [...args, '--ignore-submodules=dirty'], call)
  let head: string | undefined
  let branch: string | undefined
  const dirty: string[] = []
  for (const line of splitFields(stdout)) {
    const [type, key, value] = line.split(' ')
    if (type === '#') {
      if (key === 'branch.oid' && value !== '(initial)') head = value
      if (key === 'branch.head' && value !== '(detached)') branch = value
    } else dirty.push(skipFields(line, type === '1' ? 8 : type === 'u' ? 10 : 1))
  }
  return { head, branch, dirty: dirty.sort() }
}

// To see whether a file has changed, git runs its filter, a command that the repository's own configuration may name.
function buildNoFiltersConfig(config: GitConfig): NonNullable<GitOptions['config']> {
  const names = [...config.keys()].filter((name) => name.startsWith('filter.'))
  return names.map((name) => [name, name.endsWith('.required') ? 'false' : ''])
}

function skipFields(line: string, count: number): string {
  let from = 0
  for (let field = 0; field < count; field++) from = line.indexOf(' ', from) + 1
  return line.slice(from)
}

// The default branch of the remote, else one of the usual names. A local branch comes before its remote one: the person works there.
async function readDefaultBranch(root: string): Promise<string | undefined> {
  const refs = ['refs/remotes/origin/HEAD', 'refs/heads/main', 'refs/heads/master']
  const lines = await runGitText(root, ['for-each-ref', '--format=%(refname) %(symref)', ...refs])
  const found = new Map(lines.split('\n').map((line) => line.split(' ') as [string, string]))
  const remote = found.get('refs/remotes/origin/HEAD')?.replace('refs/remotes/origin/', '')
  if (!remote) return found.has('refs/heads/main') ? 'main' : found.has('refs/heads/master') ? 'master' : undefined
  const local = found.has(`refs/heads/${remote}`) || (await resolveCommit(root, `refs/heads/${remote}`)) !== undefined
  return local ? remote : `origin/${remote}`
}

export interface NamedCommit {
  readonly name: string
  readonly commit: string
}

/** The heads that a branch is usually merged into: the default branch, here and at the remote, and what is checked out. */
export async function listMainHeads(root: string): Promise<readonly NamedCommit[]> {
  const main = (await readDefaultBranch(root))?.replace(/^origin\//, '')
  const current = await runGitText(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { accept: [1] })
  const refs = [...(main ? [`refs/heads/${main}`, `refs/remotes/origin/${main}`] : []), `refs/heads/${current}`]
  const lines = (await runGitText(root, ['for-each-ref', '--format=%(refname) %(objectname)', ...refs])).split('\n')
  const found = new Map(lines.map((line) => line.split(' ') as [string, string]))
  return [...new Set(refs)].flatMap((ref) => {
    const commit = found.get(ref)
    return commit === undefined ? [] : [{ name: ref.replace(/^refs\/(heads|remotes)\//, ''), commit }]
  })
}

/** The author that git would put on a commit in this repository. */
export async function readIdentity(root: string): Promise<Identity | undefined> {
  return parseIdentity(await readConfig(root))
}

// Only these names are read: others hold addresses with passwords.
const CONFIG_NAME_PATTERN =
  '^((user|author)\\.(name|email)|commit\\.gpgsign|format\\.signoff|core\\.(hookspath|attributesfile|sparsecheckout)|extensions\\.(partialclone|refstorage)|filter\\..*\\.(clean|smudge|process|required)|hook\\..*\\.event|remote\\..*\\.promisor)$'

async function readConfig(root: string): Promise<GitConfig> {
  const args = ['config', '-z', '--show-scope', '--get-regexp', CONFIG_NAME_PATTERN]
  const { stdout } = await runGit(root, args, { personal: true, accept: [1] })
  const parts = splitFields(stdout)
  const config = new Map<string, { readonly value: string; readonly scope: string }>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope, entry] = [parts[at]!, parts[at + 1]!]
    const end = entry.indexOf('\n')
    // The scope `command` holds our own `-c` values. A name without a value means true.
    if (scope !== 'command') {
      config.set(end < 0 ? entry : entry.slice(0, end), { value: end < 0 ? 'true' : entry.slice(end + 1), scope })
    }
  }
  return config
}

function parseIdentity(config: GitConfig): Identity | undefined {
  const read = (name: string): string | undefined => config.get(name)?.value || undefined
  const name = process.env.GIT_AUTHOR_NAME || read('author.name') || read('user.name')
  const email = process.env.GIT_AUTHOR_EMAIL || read('author.email') || read('user.email')
  return name && email ? { name, email } : undefined
}

/** The git directory, for readers of its objects and references only. */
export async function resolveGitDir(root: string): Promise<string> {
  return await runGitText(root, ['rev-parse', '--absolute-git-dir'])
}

/** Whether the repository no longer exists, by its files: git gives the same answer for passing trouble. */
export function isRepositoryGone(root: string): boolean {
  const place = join(root, '.git')
  // In a linked worktree, `.git` is a file that names the git directory.
  const elsewhere = /^gitdir: (.+)/.exec(readRegularFile(place) ?? '')?.[1]
  return getPathKind(elsewhere === undefined ? place : resolve(root, elsewhere)) === 'missing'
}

export async function resolveCommit(root: string, revision: string): Promise<string | undefined> {
  // No revision begins so, and simple-git refuses to run git with some of the options that do.
  if (revision.startsWith('-')) return undefined
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  return (await runGitText(root, args, { accept: [1, 128] })) || undefined
}
