// Reads the branches of the person's repository: which exist, which are in use, which name is free.
import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGit, runGitText } from '../git.ts'
import { type RemoteCredential, splitRemoteUrl } from './remote-access.ts'

export async function readBranchHead(root: string, branch: string): Promise<string | undefined> {
  return (
    (await runGitText(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { accept: [1] })) || undefined
  )
}

export interface BranchState {
  readonly head: string | undefined
  /** The worktree, main or linked, that has it checked out. */
  readonly worktree: string | undefined
  /** The reference that it is an alias of (`git symbolic-ref`): a commit on it would move that one. */
  readonly alias: string | undefined
}

export async function readBranchState(root: string, branch: string): Promise<BranchState> {
  const format = '--format=%(refname)%00%(objectname)%00%(worktreepath)%00%(symref)'
  // The pattern also matches references below it, hence the comparison of names.
  const lines = (await runGitText(root, ['for-each-ref', format, `refs/heads/${branch}`])).split('\n')
  const found = lines.map((line) => line.split('\0')).find(([name]) => name === `refs/heads/${branch}`)
  const [, head, where, alias] = found ?? []
  return { head, worktree: where || undefined, alias: alias || undefined }
}

export function aliasProblem(branch: string, alias: string): string {
  return `the branch ${branch} is another name of ${alias.replace('refs/heads/', '')}, and a commit on it would move that one`
}

/**
 * The wanted name, or the first of -2, -3 … that git can create. `fix/x` can't exist beside a branch `fix`, nor `fix` beside `fix/x`:
 * git keeps names as paths. Case is ignored, for file systems that ignore it. `spoken`: names that other sessions are about to create.
 */
export async function findFreeBranchName(
  root: string,
  wanted: string,
  spoken: readonly string[] = [],
): Promise<string> {
  const refs = (await runGitText(root, ['for-each-ref', '--format=%(refname)', 'refs/heads'])).split('\n')
  const names = [...refs.map((ref) => ref.replace('refs/heads/', '')), ...spoken].map((name) => name.toLowerCase())
  const taken = new Set(names)
  const folders = new Set(names.flatMap(listParentPaths))
  // If a parent is a branch, no number helps, so the slashes become dashes.
  const stem = listParentPaths(wanted.toLowerCase()).some((parent) => taken.has(parent))
    ? wanted.replaceAll('/', '-')
    : wanted
  for (let number = 1; ; number++) {
    const name = number === 1 ? stem : `${stem}-${number}`
    const key = name.toLowerCase()
    if (!taken.has(key) && !folders.has(key)) return name
  }
}

function listParentPaths(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

export interface CommitTraces {
  readonly commit: string
  /** Lines that its message has: its trailers, else its subject. */
  readonly lines: readonly string[]
  readonly since: string
}

/** Whether any branch or tag has the commit, or one made from it that kept these lines (by a rebase or squash). */
export async function isCommitOnAnyRef(root: string, { commit, lines, since }: CommitTraces): Promise<boolean> {
  const refs = ['refs/heads', 'refs/remotes', 'refs/tags']
  // 128 and 129: the commit no longer exists.
  const accept = [128, 129]
  const found = await runGit(root, ['for-each-ref', '--count=1', `--contains=${commit}`, ...refs], { accept })
  if (found.code === 0 && found.stdout.length > 0) return true
  if (lines.length === 0) return false
  // A squash lists the subjects as points, and may add the number of its pull request.
  const wanted = lines.map((line) => {
    const text = line.replaceAll(/[.[\]*^$\\]/g, '\\$&')
    return `--grep=^\\([*-] \\)\\{0,1\\}${text}\\( (#[0-9]*)\\)\\{0,1\\}$`
  })
  const log = [
    'log',
    '-1',
    '--format=%H',
    '--all-match',
    ...wanted,
    `--since=${since}`,
    '--branches',
    '--remotes',
    '--tags',
  ]
  return (await runGitText(root, log)) !== ''
}

export async function branchNameProblem(name: string): Promise<string | undefined> {
  if (name === 'HEAD' || name.startsWith('-')) return `"${name}" is not a branch name: git gives it another meaning`
  const { code } = await runGit(tmpdir(), ['check-ref-format', `refs/heads/${name}`], { accept: [1] })
  return code === 0 ? undefined : `"${name}" is not a branch name: see "git help check-ref-format" for the rules`
}

/**
 * The branch that keeps git from creating one of this name: the same name in another case, `fix` for `fix/x`, `fix/x` for `fix`.
 * A branch of exactly this name does not count.
 */
export async function findConflictingBranch(root: string, name: string): Promise<string | undefined> {
  const wanted = name.toLowerCase()
  return (await listBranchNames(root)).find((other) => {
    const theirs = other.toLowerCase()
    if (other === name) return false
    return theirs === wanted || listParentPaths(theirs).includes(wanted) || listParentPaths(wanted).includes(theirs)
  })
}

/** The branch with the latest commit comes first. */
export async function listBranchNames(root: string): Promise<string[]> {
  const args = ['for-each-ref', '--sort=-committerdate', '--format=%(refname)', 'refs/heads']
  const refs = await runGitText(root, args)
  return refs === '' ? [] : refs.split('\n').map((ref) => ref.replace('refs/heads/', ''))
}

/** The remote branch, such as `origin/fix/x`, that a person may have meant by `fix/x`. */
export async function findRemoteBranch(root: string, name: string): Promise<string | undefined> {
  const refs = (await runGitText(root, ['for-each-ref', '--format=%(refname)', 'refs/remotes'])).split('\n')
  return refs.map((ref) => ref.replace('refs/remotes/', '')).find((ref) => ref.endsWith(`/${name}`))
}

/** `origin` if the repository has it, else its first remote. */
export async function readRemoteName(root: string): Promise<string | undefined> {
  const names = (await runGitText(root, ['remote'])).split('\n').filter((name) => name !== '')
  return names.find((name) => name === 'origin') ?? names[0]
}

/** The addresses of all remotes. */
export async function listRemoteUrls(root: string): Promise<string[]> {
  const names = (await runGitText(root, ['remote'])).split('\n').filter((name) => name !== '')
  return (await Promise.all(names.map((name) => readRemoteUrl(root, name)))).flatMap((url) => url ?? [])
}

/** As the configuration has it, but absolute and without a credential: an address is shown, recorded and given to commands. */
export async function readRemoteUrl(root: string, remote: string): Promise<string | undefined> {
  const url = await runGitText(root, ['config', '--get', `remote.${remote}.url`], { accept: [1] })
  return url === '' ? undefined : splitRemoteUrl(root, url).url
}

/** The credential that stands in the address of one of the remotes. */
export async function readRemoteCredential(root: string, url: string): Promise<RemoteCredential | undefined> {
  const lines = await runGitText(root, ['config', '--get-regexp', String.raw`^remote\..*\.url$`], { accept: [1] })
  const remotes = lines.split('\n').map((line) => splitRemoteUrl(root, line.slice(line.indexOf(' ') + 1)))
  return remotes.find((remote) => remote.url === url && remote.credential !== undefined)?.credential
}

export async function countCommitsBehind(root: string, head: string, base: string): Promise<number> {
  return Number(await runGitText(root, ['rev-list', '--count', base, `^${head}`]))
}

/** The latest common commit; undefined if there is none, or this clone lacks it. */
export async function findMergeBase(root: string, one: string, other: string): Promise<string | undefined> {
  return (await runGitText(root, ['merge-base', one, other], { accept: [1, 128] })) || undefined
}

/** The folder that a commit on this branch needs but that we can't write to, with the system's reason. */
export async function findUnwritableFolder(root: string, branch: string): Promise<string | undefined> {
  const asked = ['objects', 'refs/heads'].flatMap((name) => ['--git-path', name])
  const [objects = '', heads = ''] = (await runGitText(root, ['rev-parse', '--path-format=absolute', ...asked])).split(
    '\n',
  )
  for (const folder of [objects, deepestExistingFolder(heads, branch)]) {
    try {
      await access(folder, constants.W_OK)
    } catch (error) {
      return `${folder} (${(error as NodeJS.ErrnoException).code})`
    }
  }
  return undefined
}

function deepestExistingFolder(heads: string, branch: string): string {
  const folders = [...listParentPaths(branch)].reverse().map((parent) => join(heads, parent))
  return folders.find((folder) => existsSync(folder)) ?? heads
}
