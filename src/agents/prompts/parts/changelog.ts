// What the fixer is told of a repository's changelog.
import type { ChangelogHabit } from '../../../domain/commit/changelog-habit.ts'

export function describeChangelogHabit({ kind, path }: ChangelogHabit): string {
  return kind === 'file'
    ? `Fixes of this repository usually come with an entry in \`${path}\`: one is welcome with yours, short and in the manner of the latest ones there.`
    : `Fixes of this repository usually come with a file of their own in \`${path}\`: one for each issue is welcome, named and written like the ` +
        'latest ones there. Name it in `file_modified` of its issue.'
}
