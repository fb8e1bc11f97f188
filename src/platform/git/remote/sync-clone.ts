// The one door by which git goes to another host for what it fetches: a clone of our own is made, or brought up to date. The address is
// given each time, by https or ssh only, and the clone's configuration is written anew before: nothing in it leads elsewhere.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findMarkedProcesses, MARKER_VARIABLE } from '../../processes/marked-processes.ts'
import { endProcess } from '../../processes/process-identity.ts'
import { getCancellation, runCancellable } from '../../processes/run-tool.ts'
import { GitError, type GitOptions, runGit, runGitText } from '../git.ts'
import { prepareRemoteAccess, type RemoteCredential, SSH_PATIENCE } from '../repository/remote-access.ts'
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
  /** How long the remote may take to list its branches. */
  readonly answerWithinMs?: number | undefined
  /** How long it may take to send what is new: a server by ssh that is alive and sends nothing is noticed by nothing else. */
  readonly sendWithinMs?: number | undefined
}

export type CloneOutcome =
  /** Each note names a branch that has no place beside ours, and so stays as it is. */
  | { readonly kind: 'current'; readonly notes: readonly string[] }
  /** In the words of git or of the other host. */
  | { readonly kind: 'failed'; readonly why: string }

const TRIES = 3
const PAUSE_MS = 1_000
const STALE_LOCK_MS = 10 * 60_000
const ANSWER_WITHIN_MS = 60_000
const SEND_WITHIN_MS = 60 * 60_000
/** What the log of a branch begins with. */
const FROM_REMOTE = 'from the remote'

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
  readonly answerWithinMs: number
  readonly sendWithinMs: number
}

function openAccess(request: CloneRequest): Access {
  const { url: given, scheme, credential, scratch, pinned } = request
  const { answerWithinMs = ANSWER_WITHIN_MS, sendWithinMs = SEND_WITHIN_MS } = request
  const { url, options } = prepareRemoteAccess({ url: given, credential, folder: scratch })
  const { GIT_SSH_COMMAND = `ssh -o BatchMode=yes -o StrictHostKeyChecking=yes ${SSH_PATIENCE}` } = process.env
  const env = { ...options.env, GIT_ALLOW_PROTOCOL: scheme, ...(scheme === 'ssh' ? { GIT_SSH_COMMAND } : {}) }
  const config = [
    ...options.config,
    ['http.followRedirects', 'false'],
    ['http.emptyAuth', 'false'],
    ['credential.helper', ''],
    ...(pinned === undefined ? [] : [['http.curloptResolve', pinned] as const]),
  ] as const
  return { url, options: { env, config }, answerWithinMs, sendWithinMs }
}

async function fetchAll(folder: string, access: Access): Promise<CloneOutcome> {
  const { url, answerWithinMs, sendWithinMs } = access
  const listing = ['ls-remote', '--symref', '--', url, 'HEAD', 'refs/heads/*']
  const listed = await askRemote(folder, listing, access, answerWithinMs)
  if (listed === undefined) return { kind: 'failed', why: `it did not answer within ${answerWithinMs / 1000} s` }
  const [, branch] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed) ?? []
  if (branch === undefined) return { kind: 'failed', why: 'it has no branch to begin from: push something first' }
  await removeGoneBranches(folder, new Set([...listed.matchAll(/^\S+\trefs\/heads\/(.+)$/gm)].map(([, name]) => name)))
  const refs = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  const how = [
    '--quiet',
    '--prune',
    '--no-tags',
    '--no-recurse-submodules',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
  ]
  const fetched = await askRemote(folder, ['fetch', ...how, '--', url, ...refs], access, sendWithinMs)
  if (fetched === undefined) {
    const advice = 'clone it yourself, and register the folder with "fixwright repo add"'
    return { kind: 'failed', why: `it had not sent everything after ${sendWithinMs / 60_000} minutes: ${advice}` }
  }
  await runGit(folder, ['symbolic-ref', 'refs/remotes/origin/HEAD', `refs/remotes/origin/${branch}`])
  const clashing = await moveBranches(folder, branch)
  const notes = clashing.map(([theirs, ours]) => `its branch ${theirs} is left out, beside the branch ${ours} here`)
  const atDefault = clashing.find(([theirs]) => theirs === branch)
  if (atDefault) return { kind: 'failed', why: `its default branch ${branch} has no place beside ${atDefault[1]} here` }
  await runGit(folder, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  await runGit(folder, ['reset', '--quiet', '--hard'])
  return { kind: 'current', notes }
}

/** Undefined if the remote is not done in time. */
async function askRemote(
  folder: string,
  args: readonly string[],
  { options }: Access,
  withinMs: number,
): Promise<string | undefined> {
  const outer = getCancellation()
  const over = AbortSignal.timeout(withinMs)
  const signal = outer ? AbortSignal.any([outer, over]) : over
  const marker = `${args[0]}/${randomUUID()}`
  const marked = { ...options, env: { ...options.env, [MARKER_VARIABLE]: marker } }
  try {
    return await runCancellable(signal, () => runGitText(folder, args, marked))
  } catch (error) {
    // Git that is stopped leaves the process that waits for the remote.
    if (signal.aborted)
      await Promise.all(findMarkedProcesses(marker).map(({ identity }) => endProcess(identity, { graceMs: 500 })))
    if (over.aborted && !outer?.aborted) return undefined
    throw error
  }
}

/**
 * What came from the remote and is gone there goes, unless it holds commits of its own: `release` would keep `release/1.0` out. This
 * comes before the fetch, which forgets what the remote had.
 */
async function removeGoneBranches(folder: string, there: ReadonlySet<string | undefined>): Promise<void> {
  const [remote, local] = await Promise.all([listTips(folder, 'refs/remotes/origin/'), listTips(folder, 'refs/heads/')])
  const removals: string[] = []
  const current = await runGitText(folder, ['symbolic-ref', '--quiet', 'HEAD'], { accept: [1] })
  for (const [branch, tip] of remote) {
    const own = local.get(branch)
    if (branch === 'HEAD' || there.has(branch) || own === undefined) continue
    if ((own !== tip && !(await isAncestor(folder, own, tip))) || !(await isFromRemote(folder, branch))) continue
    // The fetch gives HEAD its branch.
    if (current === `refs/heads/${branch}`) await runGit(folder, ['update-ref', '--no-deref', 'HEAD', own])
    removals.push(`delete refs/heads/${branch}\0${own}\0`)
  }
  if (removals.length > 0) await runGit(folder, ['update-ref', '-z', '--stdin'], { input: removals.join('') })
}

/** A session's branch that was pushed is not, although the remote had it. */
async function isFromRemote(folder: string, branch: string): Promise<boolean> {
  const log = ['log', '-g', '--format=%gs', `refs/heads/${branch}`, '--']
  return (await runGitText(folder, log, { accept: [128] })).split('\n').at(-1) === FROM_REMOTE
}

/**
 * The default branch goes where the remote's is, also back; any other moves only forward. Returns the remote's branches that git can't
 * keep beside one of ours, each with that one: the one's name is a folder of the other's.
 */
async function moveBranches(folder: string, defaultBranch: string): Promise<[theirs: string, ours: string][]> {
  const [remote, local] = await Promise.all([listTips(folder, 'refs/remotes/origin/'), listTips(folder, 'refs/heads/')])
  const moves: string[] = []
  const clashing: [string, string][] = []
  const inFolders = new Map([...local.keys()].flatMap((name) => listParents(name).map((parent) => [parent, name])))
  for (const [branch, tip] of remote) {
    const own = local.get(branch)
    if (branch === 'HEAD' || own === tip) continue
    const beside = inFolders.get(branch) ?? listParents(branch).find((parent) => local.has(parent))
    const isBehind = own === undefined || branch === defaultBranch || (await isAncestor(folder, own, tip))
    if (beside !== undefined) clashing.push([branch, beside])
    else if (isBehind) moves.push(`update refs/heads/${branch}\0${tip}\0${own ?? ''}\0`)
  }
  if (moves.length > 0)
    await runGit(folder, ['update-ref', '-m', FROM_REMOTE, '--create-reflog', '-z', '--stdin'], {
      input: moves.join(''),
    })
  return clashing
}

/** Of `a/b/c`: `a` and `a/b`. */
function listParents(branch: string): string[] {
  return [...branch.matchAll(/\//g)].map(({ index }) => branch.slice(0, index))
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
