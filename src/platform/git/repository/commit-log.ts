// Reads commits of a repository: the latest ones, for the manner in which it is written (without merges and our own), and one of ours,
// for a report written long after the workspace is gone.
import { runGit } from '../git.ts'

const LATEST = 200
const OURS = '%(trailers:key=Fixwright-Session,valueonly)'

export async function listLatestSubjects(root: string, commit: string): Promise<string[]> {
  const args = ['log', `-${LATEST}`, '--no-merges', '-z', `--format=%s%x00${OURS}`, commit, '--']
  const { stdout } = await runGit(root, args, { objects: [commit] })
  const fields = stdout.toString().split('\0')
  const subjects: string[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) if (fields[at + 1]!.trim() === '') subjects.push(fields[at]!)
  return subjects
}

const COMMIT_START = '\u0001'

export interface LoggedCommit {
  readonly subject: string
  readonly files: readonly string[]
}

export async function listLatestCommits(root: string, commit: string): Promise<LoggedCommit[]> {
  const format = `--format=${COMMIT_START}%s%x00${OURS}%x00`
  const args = ['log', `-${LATEST}`, '--no-merges', '-z', '--name-only', '--no-renames', format, commit, '--']
  const { stdout } = await runGit(root, args, { objects: [commit] })
  return stdout
    .toString()
    .split(COMMIT_START)
    .slice(1)
    .flatMap((text) => {
      const [subject = '', ours = '', , ...files] = text.split('\0')
      // A line end parts the names from what the format says.
      return ours.trim() === ''
        ? [{ subject, files: files.map((file) => file.replace(/^\n/, '')).filter(Boolean) }]
        : []
    })
}

export interface CommitContent {
  readonly tree: string
  readonly diff: string
}

/** Throws `GitError` if the commit or the repository is gone. */
export async function readCommitContent(root: string, commit: string): Promise<CommitContent> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new RangeError(`"${commit}" is no commit`)
  // Without `--root` and `--always` git says nothing at all about a first commit, and about one that changes nothing.
  const flags = ['-r', '-p', '--root', '--always', '--find-renames', '--no-color', '--no-ext-diff', '--no-textconv']
  const { stdout } = await runGit(root, ['diff-tree', '--format=%T', '--diff-merges=first-parent', ...flags, commit])
  const text = stdout.toString()
  const [tree = ''] = text.split('\n', 1)
  // An empty line parts the format from the diff.
  return { tree, diff: text.slice(tree.length + 2) }
}
