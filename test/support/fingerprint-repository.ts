// Everything of the person's repository that must be the same after a session as before it, as text: two of them are
// equal, or their first different line says what was touched. Objects are not in it: new ones are what a fetch brings.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { runGit, runGitText } from '../../src/platform/git/git.ts'
import { getPathKind, listDirectory, readRegularFile } from '../../src/platform/git/unruly-files.ts'

/** `except`: branches that may come and move, the sessions' own. */
export async function fingerprintRepository(root: string, except: readonly string[] = []): Promise<string> {
  const paths = await runGitText(root, ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir'])
  const [gitDir, common] = paths.split('\n') as [string, string]
  const [refs, index, status, worktrees] = await Promise.all([
    runGitText(root, ['for-each-ref', '--format=%(refname) %(objectname) %(symref)']),
    hashGitOutput(root, ['ls-files', '--stage', '-z']),
    hashGitOutput(root, [
      'status',
      '--porcelain=v2',
      '-z',
      '--untracked-files=all',
      '--no-renames',
      '--ignore-submodules=dirty',
    ]),
    runGitText(root, ['worktree', 'list', '--porcelain']),
  ])
  const own = new Set(except.map((branch) => `refs/heads/${branch}`))
  const ours = [...SHARED_FILES.map((name) => join(common, name)), ...WORKTREE_FILES.map((name) => join(gitDir, name))]
  return [
    ...refs.split('\n').filter((line) => !own.has(line.split(' ')[0]!)),
    `index: ${index}`,
    `work tree: ${status}`,
    ...ours.map((path) => `${path}: ${getPathKind(path)} ${hash(readRegularFile(path) ?? '')}`),
    ...listHooks(join(common, 'hooks')),
    worktrees,
  ].join('\n')
}

const SHARED_FILES = ['config', 'info/exclude', 'info/attributes', 'shallow', 'logs/refs/stash', 'packed-refs.lock']
const WORKTREE_FILES = ['HEAD', 'config.worktree', 'FETCH_HEAD', 'index.lock']

async function hashGitOutput(root: string, args: readonly string[]): Promise<string> {
  return hash((await runGit(root, args)).stdout)
}

function listHooks(directory: string): string[] {
  return listDirectory(directory).map((name) => {
    const path = join(directory, name)
    return `hook ${name}: ${getPathKind(path)} ${hash(readRegularFile(path) ?? '')}`
  })
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
