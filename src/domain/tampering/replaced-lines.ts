// What a test or a check demands before and after, where one line took the place of another.

import { classifyStrictness, isAssertion, toAssertionShape, toleratesMore } from './assertions.ts'
import type { TamperingFlag } from './patterns.ts'
import { findThresholds, MAX_READABLE_LENGTH } from './patterns.ts'
import type { DiffLine, Hunk } from './unified-diff.ts'

/** What was replaced by what, in one place. */
function listReplacedBlocks(hunk: Hunk): { readonly gone: DiffLine[]; readonly come: DiffLine[] }[] {
  const blocks: { gone: DiffLine[]; come: DiffLine[] }[] = [{ gone: [], come: [] }]
  for (const line of hunk) {
    if (line.text.length > MAX_READABLE_LENGTH) continue
    if (line.side === 'both') blocks.push({ gone: [], come: [] })
    else blocks.at(-1)?.[line.side === 'old' ? 'gone' : 'come'].push(line)
  }
  return blocks
}

export function findLoosenedAssertions(hunk: Hunk, file: string): TamperingFlag[] {
  return listReplacedBlocks(hunk).flatMap((block) => {
    const gone = block.gone.filter(({ text }) => isAssertion(text))
    const come = block.come.filter(({ text }) => isAssertion(text))
    const [was, is] = [subtractLines(gone, come), subtractLines(come, gone)]
    const shapes = Map.groupBy(was, ({ text }) => toAssertionShape(text))
    const flags = is.flatMap(({ line, text }): TamperingFlag[] => {
      const [before] = shapes.get(toAssertionShape(text)) ?? []
      if (!before) return []
      const kind = toleratesMore(before.text, text) ? 'loosened_assertion' : 'changed_expectation'
      return [{ file, line, kind, text }]
    })
    const exact = (lines: readonly DiffLine[]) =>
      lines.filter(({ text }) => classifyStrictness(text) === 'exact').length
    const loose = is.filter(({ text }) => classifyStrictness(text) === 'loose')
    const weaker = loose.slice(0, Math.max(0, exact(was) - exact(is)))
    return [...flags, ...weaker.map(({ line, text }) => ({ file, line, kind: 'loosened_assertion' as const, text }))]
  })
}

/** Those that are not among the others as well. */
function subtractLines(lines: readonly DiffLine[], others: readonly DiffLine[]): DiffLine[] {
  const there = new Set(others.map(({ text }) => text.trim()))
  return lines.filter(({ text }) => !there.has(text.trim()))
}

export function findLoweredThresholds(hunk: Hunk, file: string): TamperingFlag[] {
  return listReplacedBlocks(hunk).flatMap(({ gone, come }) => {
    const bars = gone.flatMap(({ text }) => findThresholds(text))
    // The last first: each pays for one, in their order.
    const before = Map.groupBy(bars.toReversed(), ({ name }) => name)
    return come.flatMap(({ line, text }) =>
      findThresholds(text).flatMap(({ name, value, isLimit }): TamperingFlag[] => {
        const bar = before.get(name)?.pop()
        const isLower = bar !== undefined && (isLimit ? value > bar.value : value < bar.value)
        return isLower ? [{ file, line, kind: 'lowered_bar', text }] : []
      }),
    )
  })
}
