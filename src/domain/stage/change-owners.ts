// The owners of a changed file are the issues that are about it or claim it, else those whose text names it, else those that had it
// before, else all issues of the call. Owners are carried from tree to tree, so that an issue group can be kept or left out as a whole.

/** Path → codes of its owners. */
export type Owners = Readonly<Record<string, readonly string[]>>

export interface ChangedPath {
  readonly path: string
  /** The old path of a renamed file; both paths have the same owners. */
  readonly from?: string | undefined
}

export interface OwnerCandidate {
  readonly code: string
  readonly file: string
  readonly claimedFiles: readonly string[]
  /** Other files that the finding's text names. */
  readonly namedFiles?: readonly string[] | undefined
  /** The fixer makes a false-positive claim about it. */
  readonly claimsFalsePositive?: boolean | undefined
  /** The fixer says that it did not fix it. */
  readonly claimsNoChange?: boolean | undefined
}

/** The owners after a call: paths that it changed gain owners, all others keep theirs. */
export function assignOwners(
  changes: readonly ChangedPath[],
  claimants: readonly OwnerCandidate[],
  before: Owners,
): Owners {
  const owners = new Map(Object.entries(before))
  for (const { path, from } of changes) {
    const ends = from === undefined ? [path] : [path, from]
    const own = claimants.filter(({ file, claimedFiles }) =>
      ends.some((end) => end === file || claimedFiles.includes(end)),
    )
    const naming = claimants.filter(({ namedFiles }) => ends.some((end) => namedFiles?.includes(end)))
    const had = ends.flatMap((end) => owners.get(end) ?? [])
    const isTheirs = own.length + naming.length === 0 && claimants.some(({ code }) => had.includes(code))
    const found = isTheirs ? [] : chooseLikelyOwners(own, naming, claimants).map(({ code }) => code)
    const all = [...new Set([...had, ...found])].sort()
    for (const end of ends) owners.set(end, all)
  }
  return Object.fromEntries(owners)
}

/** The paths that no issue of the call is about, claims or names. */
export function listUnclaimed(changes: readonly ChangedPath[], claimants: readonly OwnerCandidate[]): string[] {
  return changes.flatMap(({ path, from }) => {
    const ends = from === undefined ? [path] : [path, from]
    const isClaimed = claimants.some(({ file, claimedFiles, namedFiles = [] }) =>
      ends.some((end) => end === file || claimedFiles.includes(end) || namedFiles.includes(end)),
    )
    return isClaimed ? [] : ends
  })
}

/**
 * The owners of a file that nobody claims: issues that its name or its content tells of, and those that own no claimed file, since their
 * change has to be somewhere. Undefined if nothing tells.
 */
export function guessOwners(
  { path, speaker }: { readonly path: string; readonly speaker: string | undefined },
  claimants: readonly OwnerCandidate[],
  claimed: Owners,
): readonly string[] | undefined {
  const isWorking = (each: OwnerCandidate) => !each.claimsFalsePositive && !each.claimsNoChange
  const working = claimants.filter(isWorking).map(({ code }) => code)
  const alike = claimants.filter(({ code, file }) => working.includes(code) && toStem(file) === toStem(path))
  const spoken = alike.length > 0 ? alike.map(({ code }) => code) : working.filter((code) => code === speaker)
  const idle = working.filter((code) => countOwnedPaths(claimed, code) === 0)
  const found = [...new Set([...spoken, ...idle])].sort()
  return found.length > 0 ? found : undefined
}

/** `flag_test.go`, `test_flag.py` and `flag.spec.ts` are about `flag`. */
function toStem(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return name.replace(/\.[^.]*$/, '').replace(/^tests?[-_.]|[-_.](?:tests?|spec)$/g, '')
}

/** An issue with a false-positive claim owns only changes that no other issue can have made. */
function chooseLikelyOwners(
  own: readonly OwnerCandidate[],
  naming: readonly OwnerCandidate[],
  all: readonly OwnerCandidate[],
): readonly OwnerCandidate[] {
  const working = (some: readonly OwnerCandidate[]) => some.filter(({ claimsFalsePositive }) => !claimsFalsePositive)
  return [working(own), working(naming), own, naming, working(all)].find((some) => some.length > 0) ?? all
}

/** Keeps only paths that still differ: a change that was undone has no owner. */
export function restrictOwners(owners: Owners, paths: ReadonlySet<string>): Owners {
  return Object.fromEntries(Object.entries(owners).filter(([path]) => paths.has(path)))
}

/** The sets of several owners, each once: issue groups are made from them. What nobody claims is taken with all of them, and binds none. */
export function listOwnerSets(owners: Owners, unclaimed: readonly string[] = []): string[][] {
  const binding = Object.entries(owners).filter(([path]) => !unclaimed.includes(path))
  const sets = new Map(binding.map(([, codes]) => [codes.join('\n'), [...codes]]))
  return [...sets.values()].filter((codes) => codes.length > 1)
}

/** The paths that a selection of exactly these issues takes over. */
export function listPathsOwnedBy(owners: Owners, codes: readonly string[]): string[] {
  return Object.keys(owners).filter((path) => owners[path]?.every((code) => codes.includes(code)))
}

export function countOwnedPaths(owners: Owners, code: string): number {
  return Object.values(owners).filter((codes) => codes.includes(code)).length
}
