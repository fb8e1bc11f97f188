// The difference of two versions of a file, cut into edits: one for each place that changed inside a block, one for each new block.
// Gap: what changed between blocks, and blocks that are gone, are left out.
import { type Block, listBlocks } from './symbols.ts'

/** A place that changed. `id` is the block's name, with `#2` for its second place. */
export interface Change {
  readonly id: string
  readonly place: Place
}

/** Lines of the older file, and those of the newer one instead. */
export interface Place {
  readonly start: number
  /** After its last line; the start where lines are only added. */
  readonly end: number
  readonly lines: readonly string[]
}

export function changesOf(file: string, before: string, after: string): Change[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  const [oldBlocks, freshBlocks] = [listBlocks(file, old), listBlocks(file, fresh)]
  const known = new Map(oldBlocks.map((block) => [block.name, block]))
  const changes: Change[] = []
  for (const [index, block] of freshBlocks.entries()) {
    const ancestor = known.get(block.name)
    const own = withoutInner(block, freshBlocks)
    const places = ancestor
      ? differences(old, withoutInner(ancestor, oldBlocks), fresh.slice(own.start, own.end))
      : [insertion(fresh, freshBlocks, index, known)].filter((place) => place !== undefined)
    for (const [nth, place] of places.entries()) {
      const id = nth === 0 ? block.name : `${block.name}#${nth + 1}`
      changes.push({ id, place })
    }
  }
  return changes
}

/** An owner without its methods. */
function withoutInner(block: Block, blocks: readonly Block[]): Block {
  const first = blocks.find(({ start, name }) => start > block.start && start < block.end && name !== block.name)
  return first ? { ...block, end: first.start } : block
}

/** A new block goes after the one that it follows; one inside a new owner comes with it. */
function insertion(
  fresh: readonly string[],
  blocks: readonly Block[],
  index: number,
  known: ReadonlyMap<string, Block>,
): Place | undefined {
  const block = blocks[index] as Block
  const owner = block.name.includes('.') ? block.name.split('.')[0] : undefined
  if (owner && blocks.some(({ name }) => name === owner) && !known.has(owner)) return undefined
  for (let before = index - 1; before >= 0; before--) {
    const previous = blocks[before] as Block
    const anchor = known.get(previous.name)
    if (!anchor) continue
    const start = blankBefore(fresh, block.start)
    return { start: anchor.end, end: anchor.end, lines: fresh.slice(start, block.end) }
  }
  return undefined
}

/** From the blank lines and comments above a block on. */
function blankBefore(lines: readonly string[], start: number): number {
  let at = start
  while (at > 0 && /^\s*(?:$|\/\/|#)/.test(lines[at - 1] ?? '')) at -= 1
  return at
}

/** The places in which a block differs, by its longest common subsequence of lines. */
function differences(old: readonly string[], block: Block, fresh: readonly string[]): Place[] {
  const mine = old.slice(block.start, block.end)
  const common = commonLengths(mine, fresh)
  const places: Place[] = []
  let [i, j] = [0, 0]
  while (i < mine.length || j < fresh.length) {
    const [fromI, fromJ] = [i, j]
    while ((i < mine.length || j < fresh.length) && !(i < mine.length && j < fresh.length && mine[i] === fresh[j])) {
      if (j >= fresh.length || (i < mine.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) i += 1
      else j += 1
    }
    if (i > fromI || j > fromJ)
      places.push({ start: block.start + fromI, end: block.start + i, lines: fresh.slice(fromJ, j) })
    while (i < mine.length && j < fresh.length && mine[i] === fresh[j]) {
      i += 1
      j += 1
    }
  }
  return places
}

function commonLengths(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const row = lengths[i] as number[]
      row[j] =
        left[i] === right[j] ? (lengths[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
}
