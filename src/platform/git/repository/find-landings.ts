// Looks for commits of a branch in the history of what they were to land in. A merge brings them as they are; a squash or a rebase makes
// others, whose message may say anything. Such a one is known by its tree: merging the branch into it changes nothing.
// Gap: what somebody edited while it was squashed is not found, nor is what a merge resolved in another way.
import { FIXWRIGHT_IDENTITY, runGit, runGitText, splitFields } from '../git.ts'
import { isAncestor } from '../workspace/commits.ts'
import { findMergeBase } from './branches.ts'

export interface LandingQuestion {
  /** Where the commits may have landed. */
  readonly target: string
  /** The last commit of the branch. */
  readonly tip: string
  readonly commits: readonly string[]
}

export interface CommitLanding {
  readonly commit: string
  /** The target has the commit itself. */
  readonly isContained: boolean
  /** The commit of the target that has its change. */
  readonly landedAt?: string | undefined
  /** The commit of the target that says it takes that one back. */
  readonly revertedAt?: string | undefined
  /** It was not found, and the target has changed its files since, or nobody can tell. */
  readonly isTouched: boolean
}

const MAX_WALKED = 500
const MAX_PATHS = 200

/** Reads and writes objects in a git directory of ours. */
export async function findLandings(
  gitDir: string,
  { target, tip, commits }: LandingQuestion,
): Promise<readonly CommitLanding[]> {
  const landed = new Map<string, string>()
  const contained = new Set<string>()
  const missing = new Set<string>()
  for (const commit of commits) {
    if (!(await hasCommit(gitDir, commit))) missing.add(commit)
    else if (await isAncestor(gitDir, commit, target)) contained.add(commit)
  }
  const open = commits.filter((commit) => !contained.has(commit) && !missing.has(commit))
  for (const until of await listTips(gitDir, { target, tip, open })) {
    const reached = await listReached(gitDir, { target, until, open })
    if (reached.every((commit) => landed.has(commit))) continue
    const at = await findWhole(gitDir, target, until)
    if (at !== undefined) for (const commit of reached) if (!landed.has(commit)) landed.set(commit, at)
  }
  for (const commit of open.filter((each) => !landed.has(each))) {
    const at = await findAlone(gitDir, target, commit)
    if (at !== undefined) landed.set(commit, at)
  }
  const answers: CommitLanding[] = []
  for (const commit of commits) {
    const [isContained, landedAt] = [contained.has(commit), landed.get(commit)]
    const at = isContained ? commit : landedAt
    answers.push({
      ...{ commit, isContained, landedAt },
      revertedAt: at === undefined ? undefined : await findRevert(gitDir, target, at),
      isTouched: at === undefined && (missing.has(commit) || (await isTouched(gitDir, target, commit))),
    })
  }
  return answers
}

async function hasCommit(gitDir: string, commit: string): Promise<boolean> {
  return (await runGit(gitDir, ['cat-file', '-e', `${commit}^{commit}`], { accept: [1, 128] })).code === 0
}

interface OpenCommits {
  readonly target: string
  readonly open: readonly string[]
}

/** The branch as a whole, then as it was at each of the commits, the latest first: more may have been pushed after it landed. */
async function listTips(gitDir: string, { target, tip, open }: OpenCommits & { readonly tip: string }) {
  if (open.length === 0) return []
  const listed = await runGitText(gitDir, ['rev-list', '--topo-order', ...open, `^${target}`])
  const ordered = listed.split('\n').filter((commit) => open.includes(commit))
  return [...new Set([...((await hasCommit(gitDir, tip)) ? [tip] : []), ...ordered])]
}

async function listReached(gitDir: string, { target, until, open }: OpenCommits & { readonly until: string }) {
  const reached = (await runGitText(gitDir, ['rev-list', until, `^${target}`])).split('\n')
  return open.filter((commit) => reached.includes(commit))
}

interface Change {
  readonly from: string
  readonly to: string
}

/** The first commit of the target that has everything of the branch up to here. */
async function findWhole(gitDir: string, target: string, until: string): Promise<string | undefined> {
  const from = await findMergeBase(gitDir, target, until)
  if (from === undefined) return undefined
  const { commits } = await walkTarget(gitDir, target, { since: from, change: { from, to: until } })
  for (const { commit, tree } of commits) if ((await mergeTrees(gitDir, commit, until)) === tree) return commit
  return undefined
}

/** The first commit of the target that has the change of this one alone. */
async function findAlone(gitDir: string, target: string, commit: string): Promise<string | undefined> {
  const since = await findMergeBase(gitDir, target, commit)
  const from = await findParent(gitDir, commit)
  if (since === undefined || from === undefined) return undefined
  const { commits } = await walkTarget(gitDir, target, { since, change: { from, to: commit } })
  if (commits.length === 0) return undefined
  // Commits with no history but the parent of the change: git 2.38 takes no other merge base.
  const base = await writeCommit(gitDir, `${from}^{tree}`)
  const theirs = await writeCommit(gitDir, `${commit}^{tree}`, base)
  for (const { commit: at, tree } of commits) {
    if ((await mergeTrees(gitDir, await writeCommit(gitDir, tree, base), theirs)) === tree) return at
  }
  return undefined
}

async function isTouched(gitDir: string, target: string, commit: string): Promise<boolean> {
  const since = await findMergeBase(gitDir, target, commit)
  const from = await findParent(gitDir, commit)
  if (since === undefined || from === undefined) return true
  const { commits, isCut } = await walkTarget(gitDir, target, { since, change: { from, to: commit } })
  return isCut || commits.length > 0
}

interface Walk {
  readonly commits: readonly { readonly commit: string; readonly tree: string }[]
  /** There are more, which were not looked at. */
  readonly isCut: boolean
}

/** The commits of the target since then that touch the files of the change, oldest first; none if it changes nothing. */
async function walkTarget(
  gitDir: string,
  target: string,
  { since, change }: { readonly since: string; readonly change: Change },
): Promise<Walk> {
  const { stdout } = await runGit(gitDir, [
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-renames',
    change.from,
    change.to,
  ])
  const files = splitFields(stdout)
  if (files.length === 0) return { commits: [], isCut: false }
  // A name that is not UTF-8 can't be given back to git.
  const paths = files.length > MAX_PATHS || files.some((file) => file.includes('\uFFFD')) ? [] : files
  const args = ['log', '--first-parent', '--reverse', '--format=%H %T', target, `^${since}`, '--', ...paths]
  const lines = (await runGitText(gitDir, args)).split('\n').filter(Boolean)
  const commits = lines.map((line) => line.split(' ')).map(([commit = '', tree = '']) => ({ commit, tree }))
  return { commits: commits.slice(0, MAX_WALKED), isCut: commits.length > MAX_WALKED }
}

/** Undefined if they do not merge by themselves. */
async function mergeTrees(gitDir: string, ours: string, theirs: string): Promise<string | undefined> {
  const args = ['merge-tree', '--write-tree', '--no-messages', ours, theirs]
  const { stdout, code } = await runGit(gitDir, args, { accept: [1] })
  return code === 0 ? stdout.toString().trim() : undefined
}

async function findParent(gitDir: string, commit: string): Promise<string | undefined> {
  return (await runGitText(gitDir, ['rev-parse', '--verify', '--quiet', `${commit}^`], { accept: [1] })) || undefined
}

async function writeCommit(gitDir: string, tree: string, parent?: string): Promise<string> {
  const id = await runGitText(gitDir, ['rev-parse', '--verify', tree])
  const { name, email } = FIXWRIGHT_IDENTITY
  const env = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email }
  const parents = parent === undefined ? [] : ['-p', parent]
  return await runGitText(gitDir, ['commit-tree', id, ...parents, '-m', 'tree'], { env })
}

/** By what git itself writes into the message of a revert. */
async function findRevert(gitDir: string, target: string, commit: string): Promise<string | undefined> {
  const words = ['--fixed-strings', `--grep=This reverts commit ${commit}`]
  return (await runGitText(gitDir, ['log', '-1', '--format=%H', ...words, target, `^${commit}`])) || undefined
}
