// Issues of the same file or the same category are worth fixing together.
import type { Issue } from './issue.ts'

export type RelatableIssue = Pick<Issue, 'issue_code' | 'file' | 'line' | 'category'>

/** Nearest first: issues of the same file by distance in lines, then issues of the same category by how many folders they share. */
export function rankRelatedIssues<Each extends RelatableIssue>(issue: RelatableIssue, others: readonly Each[]): Each[] {
  return others
    .filter((other) => other.issue_code !== issue.issue_code)
    .flatMap((other) => {
      const distance = computeDistance(issue, other)
      return distance === undefined ? [] : [{ other, distance }]
    })
    .sort((one, two) => compareDistances(one.distance, two.distance) || compareCodes(one.other, two.other))
    .map(({ other }) => other)
}

function computeDistance(issue: RelatableIssue, other: RelatableIssue): readonly number[] | undefined {
  if (issue.file === other.file) return [0, Math.abs(parseFirstLine(issue) - parseFirstLine(other))]
  const category = normalizeCategory(issue)
  if (category === '' || category !== normalizeCategory(other)) return undefined
  return [1, -countSharedFolders(issue.file, other.file)]
}

function compareDistances(one: readonly number[], two: readonly number[]): number {
  return (one[0] ?? 0) - (two[0] ?? 0) || (one[1] ?? 0) - (two[1] ?? 0)
}

function compareCodes(one: RelatableIssue, two: RelatableIssue): number {
  return one.issue_code.localeCompare(two.issue_code, 'en', { numeric: true })
}

function normalizeCategory({ category = '' }: RelatableIssue): string {
  return category.trim().toLowerCase()
}

/** The top of the file if the reviewer named no line. */
function parseFirstLine({ line = '' }: RelatableIssue): number {
  return Number.parseInt(line, 10) || 0
}

function countSharedFolders(one: string, two: string): number {
  const [mine, theirs] = [one.split('/').slice(0, -1), two.split('/').slice(0, -1)]
  const parting = mine.findIndex((folder, index) => folder !== theirs[index])
  return parting === -1 ? mine.length : parting
}
