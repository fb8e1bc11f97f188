// Whether fixes of a repository usually come with an entry in its changelog, read from the files of its latest commits.

export interface LoggedFiles {
  readonly subject: string
  readonly files: readonly string[]
}

/** `fragments`: a folder in which each change has a file of its own. */
export interface ChangelogHabit {
  readonly kind: 'file' | 'fragments'
  readonly path: string
}

const MIN_FIXES = 5
const USUAL_SHARE = 0.5

const FILE =
  /^(.*\/)?(changelog|changes|change_?log|history|news|release[-_]?notes)(\.(md|rst|txt|adoc|org|markdown))?$/i
const FRAGMENT =
  /^((?:.*\/)?(?:\.changesets?|\.changes|changelogs?(?:\.d|\/unreleased)?|changes\.d|newsfragments|news\.d|releasenotes\/notes))\/[^/]+$/i
const FIX = /\b(fix(e[sd])?|bugs?|hotfix|bugfix|correct(s|ed)?|resolve[sd]?)\b/i

/** Undefined if entries are not usual; then changelogs are left alone. */
export function readChangelogHabit(log: readonly LoggedFiles[]): ChangelogHabit | undefined {
  const fixes = log
    .filter(({ subject, files }) => FIX.test(subject) && files.some((file) => toHabit(file) === undefined))
    .map(({ files }) => files.flatMap((file) => toHabit(file) ?? []))
  const withEntry = fixes.filter((entries) => entries.length > 0)
  if (fixes.length < MIN_FIXES || withEntry.length < fixes.length * USUAL_SHARE) return undefined
  const byPath = Map.groupBy(withEntry.flat(), ({ path }) => path)
  return [...byPath.values()].sort((a, b) => b.length - a.length)[0]?.[0]
}

/** Whether a repository with this file may have the habit. */
export function isChangelog(file: string): boolean {
  return toHabit(file) !== undefined
}

function toHabit(file: string): ChangelogHabit | undefined {
  if (FILE.test(file)) return { kind: 'file', path: file }
  const folder = FRAGMENT.exec(file)?.[1]
  return folder === undefined ? undefined : { kind: 'fragments', path: folder }
}
