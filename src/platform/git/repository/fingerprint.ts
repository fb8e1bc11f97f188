// Everything of the person's repository that must be the same after a session as before it, as text: two of them are
// equal, or their first different line says what was touched. Objects are not in it: new ones are what a fetch brings.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { kindOf, namesIn, readPlain } from '../files.ts'
import { git, gitText } from '../git.ts'

/** `except`: branches that may come and move, the sessions' own. */
export async function fingerprint(root: string, except: readonly string[] = []): Promise<string> {
  const paths = await gitText(root, ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir'])
  const [gitDir, common] = paths.split('\n') as [string, string]
  const [refs, index, status, worktrees] = await Promise.all([
    gitText(root, ['for-each-ref', '--format=%(refname) %(objectname) %(symref)']),
    hashOf(root, ['ls-files', '--stage', '-z']),
    hashOf(root, [
      'status',
      '--porcelain=v2',
      '-z',
      '--untracked-files=all',
      '--no-renames',
      '--ignore-submodules=dirty',
    ]),
    gitText(root, ['worktree', 'list', '--porcelain']),
  ])
  const own = new Set(except.map((branch) => `refs/heads/${branch}`))
  const ours = [...SHARED.map((name) => join(common, name)), ...PRIVATE.map((name) => join(gitDir, name))]
  return [
    ...refs.split('\n').filter((line) => !own.has(line.split(' ')[0]!)),
    `index: ${index}`,
    `work tree: ${status}`,
    ...ours.map((path) => `${path}: ${kindOf(path)} ${hash(readPlain(path) ?? '')}`),
    ...listHooks(join(common, 'hooks')),
    worktrees,
  ].join('\n')
}

const SHARED = ['config', 'info/exclude', 'info/attributes', 'shallow', 'logs/refs/stash', 'packed-refs.lock']
const PRIVATE = ['HEAD', 'config.worktree', 'FETCH_HEAD', 'index.lock']

async function hashOf(root: string, args: readonly string[]): Promise<string> {
  return hash((await git(root, args)).stdout)
}

function listHooks(directory: string): string[] {
  return namesIn(directory).map((name) => {
    const path = join(directory, name)
    return `hook ${name}: ${kindOf(path)} ${hash(readPlain(path) ?? '')}`
  })
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
