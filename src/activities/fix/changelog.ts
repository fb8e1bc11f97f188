// Whether the fixer is told that an entry in the changelog is welcome.

import { type ChangelogHabit, isChangelog, readChangelogHabit } from '../../domain/commit/changelog-habit.ts'
import { listLatestCommits } from '../../platform/git/repository/commit-log.ts'
import { listTree } from '../../platform/git/repository/list-tree.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'

/** One file for all entries ties its issues together: one that fails would take the others with it. */
export async function findChangelogHabit(
  { gitDir, base }: Pick<Workspace, 'gitDir' | 'base'>,
  codes: readonly string[],
): Promise<ChangelogHabit | undefined> {
  const paths = (await listTree(gitDir, base)).all().map(({ path }) => path)
  if (!paths.some(isChangelog)) return undefined
  const habit = readChangelogHabit(await listLatestCommits(gitDir, base))
  if (habit?.kind === 'fragments') return habit
  return habit && codes.length === 1 && paths.includes(habit.path) ? habit : undefined
}
