// Reads the latest commits of a repository, for the manner in which it is written. Merges and our own commits don't count.
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
