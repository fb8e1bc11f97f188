// Which issues are worth fixing together: those of the same file, and those of the same category.
import type { Issue } from './issue.ts'

export type Relatable = Pick<Issue, 'issue_code' | 'file' | 'line' | 'category'>

/** The nearest first: those of its file by the distance of their lines, then those of its category, in its folder before others. */
export function relatedTo<Each extends Relatable>(issue: Relatable, others: readonly Each[]): Each[] {
  return others
    .filter((other) => other.issue_code !== issue.issue_code)
    .flatMap((other) => {
      const distance = distanceOf(issue, other)
      return distance === undefined ? [] : [{ other, distance }]
    })
    .sort((one, two) => compare(one.distance, two.distance) || byCode(one.other, two.other))
    .map(({ other }) => other)
}

function distanceOf(issue: Relatable, other: Relatable): readonly number[] | undefined {
  if (issue.file === other.file) return [0, Math.abs(lineOf(issue) - lineOf(other))]
  const category = nameOf(issue)
  if (category === '' || category !== nameOf(other)) return undefined
  return [1, -sharedFolders(issue.file, other.file)]
}

function compare(one: readonly number[], two: readonly number[]): number {
  return (one[0] ?? 0) - (two[0] ?? 0) || (one[1] ?? 0) - (two[1] ?? 0)
}

function byCode(one: Relatable, two: Relatable): number {
  return one.issue_code.localeCompare(two.issue_code, 'en', { numeric: true })
}

function nameOf({ category = '' }: Relatable): string {
  return category.trim().toLowerCase()
}

/** Its first line; the top of the file where the reviewer named none. */
function lineOf({ line = '' }: Relatable): number {
  return Number.parseInt(line, 10) || 0
}

function sharedFolders(one: string, two: string): number {
  const [mine, theirs] = [one.split('/').slice(0, -1), two.split('/').slice(0, -1)]
  const parting = mine.findIndex((folder, index) => folder !== theirs[index])
  return parting === -1 ? mine.length : parting
}
