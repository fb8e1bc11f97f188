// New files that nothing needs: no test, no document, not named by the finding, and their name stands in no other file of the tree.
// Gap: a name that stands somewhere by chance counts as a use, and a tool that finds files by a pattern as none.

/** Read by people, or by tools that look for them by their place. */
const DOCUMENT = /\.(md|mdx|markdown|rst|adoc|txt|text|po|pot)$/i
const DOCUMENT_FOLDER =
  /(^|\/)(docs?|documentation|changes|changelogs?|changelog\.d|changesets?|\.changeset|newsfragments?|releasenotes)\//i
const DOCUMENT_NAME = /(^|\/)(change(s|log)|history|news|authors|contributors|licen[cs]e|notice)(\.[^/]*)?$/i
/** Tests read them by a path that they put together. */
const FIXTURE_FOLDER =
  /(^|\/)(tests?|__tests__|specs?|fixtures?|__fixtures__|testdata|test[-_]data|__snapshots__|snapshots|__mocks__|mocks|golden|cassettes|goldens)\//i
/** A compiler or a tool takes all files of a folder, or the file makes its folder a module. */
const FOUND_BY_PLACE = /\.(go|swift|kt|kts|cs|fs|vb|tf|ex|exs|scala|java|sql|proto|d\.ts|pyi|pxd|tsp)$/i
const MODULE_OF_FOLDER = /(^|\/)(__init__\.py|index\.[cm]?[jt]sx?|mod\.rs|main\.[a-z]+|py\.typed|\.gitkeep|\.keep)$/

/** Shorter names stand everywhere. */
const MIN_NAME_LENGTH = 3

export interface NewFile {
  readonly path: string
  readonly isTest: boolean
}

/** The names whose appearance in another file says that the file is used; undefined if it needs no use. */
export function listNamesOfUse({ path, isTest }: NewFile, findingTexts: readonly string[]): string[] | undefined {
  const isFree = [DOCUMENT, DOCUMENT_FOLDER, DOCUMENT_NAME, FIXTURE_FOLDER, FOUND_BY_PLACE, MODULE_OF_FOLDER]
  if (isTest || isFree.some((pattern) => pattern.test(path))) return undefined
  const base = path.slice(path.lastIndexOf('/') + 1)
  const stem = base.replace(/(?<=.)\..*$/, '')
  const names = [...new Set([base, stem, ...listClassNames(stem)])]
  const isNamed = findingTexts.some((text) => text.includes(base))
  return isNamed || names.some((name) => name.length < MIN_NAME_LENGTH) ? undefined : names
}

/** `user_service` is used as `UserService` where classes are found by their names, and as `userService` by some bundlers. */
function listClassNames(stem: string): string[] {
  const [first = '', ...rest] = stem.split(/[-_]+/).filter(Boolean)
  const capitalize = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)
  const tail = rest.map(capitalize).join('')
  return rest.length === 0 ? [] : [capitalize(first) + tail, first + tail]
}
