// The code that claims are about: what nobody changed stands in no diff, and the challenger sees nothing else of the repository.
import type { Issue } from '../domain/issue.ts'
import { readFilesAt } from '../git/repository.ts'
import type { Workspace } from '../git/workspace.ts'

const LINES_AROUND = 60

/** The lines around each issue, numbered; of one that names no line, the beginning of its file. */
export async function codeAround(
  { gitDir }: Workspace,
  tree: string,
  issues: readonly Issue[],
): Promise<string | undefined> {
  if (issues.length === 0) return undefined
  const files = await readFilesAt(gitDir, tree, [...new Set(issues.map(({ file }) => file))])
  return issues.map((issue) => excerptOf(issue, files.get(issue.file))).join('\n\n')
}

function excerptOf({ issue_code, file, line }: Issue, text: string | undefined): string {
  if (text === undefined) return `${issue_code}: there is no file ${file}`
  const lines = text.split('\n')
  const [first = 1, last = first] = (line ?? '1').split('-').map(Number)
  const from = Math.min(Math.max(first - LINES_AROUND, 1), lines.length)
  const shown = lines.slice(from - 1, Math.max(last, first) + LINES_AROUND)
  const numbered = shown.map((each, index) => `${from + index}  ${each}`)
  return [`${issue_code}: ${file}, lines ${from} to ${from + shown.length - 1} of ${lines.length}`, ...numbered].join(
    '\n',
  )
}
