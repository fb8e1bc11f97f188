// The one door by which git goes to another host for what it fetches: a clone of our own is made, or brought up to date. The address is
// given each time, by https or ssh only, and the clone's configuration is written anew before: nothing in it leads elsewhere.
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { GitError, type GitOptions, runGit, runGitText } from '../git.ts'
import { prepareRemoteAccess, type RemoteCredential } from '../repository/remote-access.ts'
import { isAncestor } from '../workspace/commits.ts'

export interface CloneRequest {
  /** Of the clone; made if it is not there. */
  readonly folder: string
  /** A place for what is needed meanwhile; what is there is removed, before and after. */
  readonly scratch: string
  readonly scheme: 'https' | 'ssh'
  readonly url: string
  readonly credential?: RemoteCredential | undefined
  /** `HOST:PORT:ADDRESS`: where the host was seen to be. */
  readonly pinned?: string | undefined
}

export type CloneOutcome =
  | { readonly kind: 'current' }
  /** In the words of git or of the other host. */
  | { readonly kind: 'failed'; readonly why: string }

const TRIES = 3
const PAUSE_MS = 1_000
const STALE_LOCK_MS = 10 * 60_000

/** Branches of sessions stay as they are: only what is behind the remote moves. */
export async function syncClone(request: CloneRequest): Promise<CloneOutcome> {
  const { folder, scratch } = request
  rmSync(scratch, { recursive: true, force: true })
  try {
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    await prepareClone(request)
    const access = openAccess(request)
    for (let round = 1; ; round += 1) {
      try {
        return await fetchAll(folder, access)
      } catch (error) {
        // Another process brings the same clone up to date.
        if (!(error instanceof GitError) || !/\.lock|cannot lock ref/.test(error.stderr) || round === TRIES) throw error
        await delay(PAUSE_MS)
      }
    }
  } catch (error) {
    if (error instanceof GitError) return { kind: 'failed', why: describeFailure(error.stderr) || error.message }
    throw error
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function prepareClone({ folder, url }: CloneRequest): Promise<void> {
  const gitDir = join(folder, '.git')
  if (!existsSync(gitDir)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await runGit(folder, ['init', '--quiet', '--template=', '--initial-branch=main'])
  }
  const config = ['[core]', '\trepositoryformatversion = 0', '\tfilemode = true', '\tbare = false']
  const remote = ['[remote "origin"]', `\turl = ${url}`, '\tfetch = +refs/heads/*:refs/remotes/origin/*']
  writeFileSync(join(gitDir, 'config'), `${[...config, ...remote].join('\n')}\n`)
  const lock = join(gitDir, 'index.lock')
  // Its owner was killed.
  if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > STALE_LOCK_MS) rmSync(lock)
}

interface Access {
  readonly url: string
  readonly options: GitOptions
}

function openAccess({ url: given, scheme, credential, scratch, pinned }: CloneRequest): Access {
  const { url, options } = prepareRemoteAccess({ url: given, credential, folder: scratch })
  const { GIT_SSH_COMMAND = 'ssh -o BatchMode=yes -o StrictHostKeyChecking=yes' } = process.env
  const env = { ...options.env, GIT_ALLOW_PROTOCOL: scheme, ...(scheme === 'ssh' ? { GIT_SSH_COMMAND } : {}) }
  const config = [
    ['http.followRedirects', 'false'],
    ['http.emptyAuth', 'false'],
    ['credential.helper', ''],
    ...(pinned === undefined ? [] : [['http.curloptResolve', pinned] as const]),
  ] as const
  return { url, options: { env, config } }
}

async function fetchAll(folder: string, { url, options }: Access): Promise<CloneOutcome> {
  const listed = await runGitText(folder, ['ls-remote', '--symref', '--', url, 'HEAD'], options)
  const [, branch] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed) ?? []
  if (branch === undefined) return { kind: 'failed', why: 'it has no branch to begin from: push something first' }
  const refs = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  const how = [
    '--quiet',
    '--prune',
    '--no-tags',
    '--no-recurse-submodules',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
  ]
  await runGit(folder, ['fetch', ...how, '--', url, ...refs], options)
  await runGit(folder, ['symbolic-ref', 'refs/remotes/origin/HEAD', `refs/remotes/origin/${branch}`])
  await moveBranches(folder, branch)
  await runGit(folder, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  await runGit(folder, ['reset', '--quiet', '--hard'])
  return { kind: 'current' }
}

/** The default branch goes where the remote's is, also back; any other moves only forward. */
async function moveBranches(folder: string, defaultBranch: string): Promise<void> {
  const [remote, local] = await Promise.all([listTips(folder, 'refs/remotes/origin/'), listTips(folder, 'refs/heads/')])
  const moves: string[] = []
  for (const [branch, tip] of remote) {
    const own = local.get(branch)
    if (branch === 'HEAD' || own === tip) continue
    const isBehind = own === undefined || branch === defaultBranch || (await isAncestor(folder, own, tip))
    if (isBehind) moves.push(`update refs/heads/${branch}\0${tip}\0${own ?? ''}\0`)
  }
  if (moves.length > 0) await runGit(folder, ['update-ref', '-z', '--stdin'], { input: moves.join('') })
}

async function listTips(folder: string, prefix: string): Promise<Map<string, string>> {
  const lines = await runGitText(folder, ['for-each-ref', '--format=%(objectname) %(refname)', prefix])
  const pairs = lines.split('\n').filter(Boolean)
  return new Map(
    pairs.map((line) => [line.slice(line.indexOf(' ') + 1 + prefix.length), line.slice(0, line.indexOf(' '))]),
  )
}

/** What git says last is what went wrong. */
function describeFailure(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(fatal|error|remote|ssh|Host key|.*Permission denied)/.test(line))
  return (lines.length > 0 ? lines : stderr.trim().split('\n').slice(-1)).slice(0, 3).join('; ').slice(0, 500)
}
