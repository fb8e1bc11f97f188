// Finds the parts of a tree that make it fail by trying smaller trees. Halving finds each of k culprits among n parts in about log2(n)
// runs, and a few more say whether it fails by itself or only together with another part.

/** Whether the tree of these parts passes; undefined if no more trees may be tried. */
export type TryParts<T> = (parts: readonly T[]) => Promise<boolean | undefined>

export interface Culprit<T> {
  readonly part: T
  /** The parts with which alone it fails; empty if it fails by itself, undefined if nobody looked. */
  readonly failsWith: readonly T[] | undefined
}

export interface CulpritSearch<T> {
  /** The largest tree that was seen to pass. */
  readonly passing: readonly T[]
  readonly culprits: readonly Culprit<T>[]
  /** Parts about which nothing is known, because no more trees could be tried. */
  readonly undecided: readonly T[]
}

/** Room for three culprits by halving, or for trying every part once: what is left then is not worth another run each. */
export function countMaxTrials(parts: number): number {
  return parts + 6 * Math.ceil(Math.log2(Math.max(parts, 1)))
}

/**
 * All parts together are known to fail, and no part to pass. Earlier parts are kept rather than later ones. The suspects, if they are
 * right, cost one run.
 */
export async function findCulprits<T>(
  parts: readonly T[],
  suspects: readonly T[],
  tryParts: TryParts<T>,
): Promise<CulpritSearch<T>> {
  const others = parts.filter((part) => !suspects.includes(part))
  const isSuspicionRight = suspects.length > 0 && others.length > 0 && (await tryParts(others)) === true
  const grown = await growPassing(isSuspicionRight ? others : [], isSuspicionRight ? suspects : parts, tryParts)
  const { passing, left } = await retryRejected(grown, tryParts)
  const culprits: Culprit<T>[] = []
  for (const part of left) {
    // The failure named it, and the rest passes without it: nothing more is worth a run.
    const isNamed = isSuspicionRight && suspects.includes(part)
    const failsWith = isNamed ? undefined : await findPartners(part, passing, tryParts)
    culprits.push({ part, failsWith })
  }
  return { passing, culprits, undecided: grown.undecided }
}

interface GrownTree<T> {
  readonly passing: readonly T[]
  readonly rejected: readonly T[]
  readonly undecided: readonly T[]
}

/** Adds as many parts as pass; each part that makes the grown tree fail is rejected. */
async function growPassing<T>(start: readonly T[], all: readonly T[], tryParts: TryParts<T>): Promise<GrownTree<T>> {
  let passing = start
  let open = all
  const rejected: T[] = []
  while (open.length > 0) {
    const passes = await tryParts([...passing, ...open])
    if (passes === undefined) break
    if (passes) return { passing: [...passing, ...open], rejected, undecided: [] }
    const { good, isCertain } = await countPassing(passing, open, tryParts)
    passing = [...passing, ...open.slice(0, good)]
    open = open.slice(good)
    if (!isCertain) break
    const [bad, ...rest] = open
    if (bad !== undefined) rejected.push(bad)
    open = rest
  }
  return { passing, rejected, undecided: open }
}

/** How many of the open parts, which fail as a whole, pass from the first on; uncertain if not all of it could be tried. */
async function countPassing<T>(
  passing: readonly T[],
  open: readonly T[],
  tryParts: TryParts<T>,
): Promise<{ readonly good: number; readonly isCertain: boolean }> {
  let low = 0
  let high = open.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    const passes = await tryParts([...passing, ...open.slice(0, middle)])
    if (passes === undefined) return { good: low, isCertain: false }
    if (passes) low = middle
    else high = middle
  }
  return { good: low, isCertain: true }
}

/** A part may have failed only for want of another one that came after it. */
async function retryRejected<T>(
  { passing: grown, rejected }: GrownTree<T>,
  tryParts: TryParts<T>,
): Promise<{ readonly passing: readonly T[]; readonly left: readonly T[] }> {
  let passing = grown
  const left: T[] = []
  for (const part of rejected) {
    if (await tryParts([...passing, part])) passing = [...passing, part]
    else left.push(part)
  }
  return { passing, left }
}

async function findPartners<T>(
  part: T,
  passing: readonly T[],
  tryParts: TryParts<T>,
): Promise<readonly T[] | undefined> {
  if (passing.length === 0) return []
  const alone = await tryParts([part])
  if (alone !== true) return alone === false ? [] : undefined
  const { good, isCertain } = await countPassing([part], passing, tryParts)
  const partner = passing[good]
  return isCertain && partner !== undefined ? [partner] : undefined
}
