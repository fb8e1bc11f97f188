// Which issues of a stage are committed together: those of one group, in the plan's order.

import { groupIssues } from '../stage/issue-groups.ts'

export interface TreeOfIssues {
  readonly codes: readonly string[]
  /** With all that comes before it. */
  readonly tree: string
}

/** The groups of each commit of a stage, with their predecessors: the last one holds all issues. */
export function listCommitSteps(
  codes: readonly string[],
  bindingSets: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const groups = groupIssues(codes, bindingSets)
  return groups.map((_, index) => groups.slice(0, index + 1).flat())
}

/** Joins a group that changes nothing by itself with the next one, and the last one with the one before. */
export function joinEmptyCommits(base: string, steps: readonly TreeOfIssues[]): TreeOfIssues[] {
  const commits: TreeOfIssues[] = []
  let waiting: readonly string[] = []
  for (const { codes, tree } of steps) {
    const before = commits.at(-1)?.tree ?? base
    if (tree === before) waiting = [...waiting, ...codes]
    else {
      commits.push({ codes: [...waiting, ...codes], tree })
      waiting = []
    }
  }
  const last = commits.pop()
  return last ? [...commits, { ...last, codes: [...last.codes, ...waiting] }] : []
}
