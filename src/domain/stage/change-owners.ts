// Whose change is it? A changed file belongs to the issues that name it or claim it; one that nobody claims belongs to all
// issues of its call. An issue for which nothing is said to be changed owns only what nobody else can have changed. Ownership is carried from tree to tree, so that a knot can be taken over or left out as a whole.

/** Path → the codes of its owners. */
export type Owners = Readonly<Record<string, readonly string[]>>

export interface ChangedPath {
  readonly path: string
  /** Where a renamed file was before: both ends have the same owners. */
  readonly from?: string | undefined
}

export interface OwnerCandidate {
  readonly code: string
  readonly file: string
  readonly claimedFiles: readonly string[]
  /** The fixer says that there is nothing to fix. */
  readonly claimsFalsePositive?: boolean | undefined
}

/** Owners after a call: what it changed gets its owners, what was owned before keeps them. */
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
    const found = chooseLikelyOwners(own, claimants).map(({ code }) => code)
    const all = [...new Set([...ends.flatMap((end) => owners.get(end) ?? []), ...found])].sort()
    for (const end of ends) owners.set(end, all)
  }
  return Object.fromEntries(owners)
}

function chooseLikelyOwners(own: readonly OwnerCandidate[], all: readonly OwnerCandidate[]): readonly OwnerCandidate[] {
  const working = (some: readonly OwnerCandidate[]) => some.filter(({ claimsFalsePositive }) => !claimsFalsePositive)
  return [working(own), own, working(all)].find((some) => some.length > 0) ?? all
}

/** Only what still differs: a change that was undone later belongs to nobody. */
export function restrictOwners(owners: Owners, paths: ReadonlySet<string>): Owners {
  return Object.fromEntries(Object.entries(owners).filter(([path]) => paths.has(path)))
}

/** Each set of owners once: what the knots are made from. */
export function listOwnerSets(owners: Owners): string[][] {
  const sets = new Map(Object.values(owners).map((codes) => [codes.join('\n'), [...codes]]))
  return [...sets.values()].filter((codes) => codes.length > 1)
}

/** The paths that are taken over when exactly these issues are. */
export function listPathsOwnedBy(owners: Owners, codes: readonly string[]): string[] {
  return Object.keys(owners).filter((path) => owners[path]?.every((code) => codes.includes(code)))
}

export function countOwnedPaths(owners: Owners, code: string): number {
  return Object.values(owners).filter((codes) => codes.includes(code)).length
}
