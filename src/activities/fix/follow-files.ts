// Finds the files of issues in the tree that a call starts from (profile review-fix). Renames are followed. Nobody is asked about a file
// that is gone.

import type { IssueRecord } from '../../domain/session/store-records.ts'
import { getProfile } from '../../domain/settings/schema.ts'
import type { StoredClaim } from '../../domain/stage/snapshot-metadata.ts'
import { listTreeEntries } from '../../platform/git/repository/list-tree.ts'
import { listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { Session } from '../context.ts'

export interface FollowedFiles {
  /** The session's issues, with their files' names in that tree. */
  readonly issues: readonly IssueRecord[]
  /** The files that are not there any more, by issue. */
  readonly gone: ReadonlyMap<string, string>
}

export async function followFiles(
  {
    issues,
    settings,
    record,
  }: Pick<Session, 'issues' | 'settings'> & { readonly record: Pick<Session['record'], 'base_commit'> },
  { gitDir }: Pick<Workspace, 'gitDir'>,
  { codes, head, tree }: { readonly codes: readonly string[]; readonly head: string; readonly tree: string },
): Promise<FollowedFiles> {
  if (getProfile(settings).max_attempts_per_issue === null) return { issues, gone: new Map() }
  const [entries, committed, changes] = await Promise.all([
    listTreeEntries(gitDir, tree),
    listTreeEntries(gitDir, head),
    // An earlier commit of the session may have moved a file, too.
    listChanges({ gitDir }, record.base_commit ?? head, tree),
  ])
  const there = new Set(entries.map(({ path }) => path))
  const moved = new Map(changes.flatMap(({ path, from }) => (from === undefined ? [] : [[from, path]])))
  const placed = issues.map((issue) => {
    const file = moved.get(issue.file)
    return there.has(issue.file) || file === undefined ? issue : { ...issue, file }
  })
  // A file that only this stage's attempts have deleted may have had to go, so the fixer hears of the verdict.
  for (const { path } of committed) there.add(path)
  const gone = placed.filter(({ issue_code, file }) => codes.includes(issue_code) && !there.has(file))
  return { issues: placed, gone: new Map(gone.map(({ issue_code, file }) => [issue_code, file])) }
}

/** What the snapshot keeps in place of a fixer's report. */
export function listGoneClaims({ gone }: FollowedFiles): StoredClaim[] {
  return [...gone].map(([issue_code, file]) => ({
    issue_code,
    status: 'blocked',
    changes_summary: `${file} is not there any more`,
    gone: true,
  }))
}
