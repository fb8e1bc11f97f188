// What a test or a check demands before and after, where one line took the place of another.

import { isAssertion, shapeOf, strictnessOf, toleratesMore } from './assertions.ts'
import type { SilencedCheck } from './patterns.ts'
import { barsIn, READABLE } from './patterns.ts'
import type { DiffLine, Hunk } from './unified-diff.ts'

/** What was replaced by what, in one place. */
function blocksOf(hunk: Hunk): { readonly gone: DiffLine[]; readonly come: DiffLine[] }[] {
  const blocks: { gone: DiffLine[]; come: DiffLine[] }[] = [{ gone: [], come: [] }]
  for (const line of hunk) {
    if (line.text.length > READABLE) continue
    if (line.side === 'both') blocks.push({ gone: [], come: [] })
    else blocks.at(-1)?.[line.side === 'old' ? 'gone' : 'come'].push(line)
  }
  return blocks
}

export function loosened(hunk: Hunk, file: string): SilencedCheck[] {
  return blocksOf(hunk).flatMap((block) => {
    const gone = block.gone.filter(({ text }) => isAssertion(text))
    const come = block.come.filter(({ text }) => isAssertion(text))
    const [was, is] = [without(gone, come), without(come, gone)]
    const shapes = Map.groupBy(was, ({ text }) => shapeOf(text))
    const flags = is.flatMap(({ line, text }): SilencedCheck[] => {
      const [before] = shapes.get(shapeOf(text)) ?? []
      if (!before) return []
      const kind = toleratesMore(before.text, text) ? 'loosened_assertion' : 'changed_expectation'
      return [{ file, line, kind, text }]
    })
    const exact = (lines: readonly DiffLine[]) => lines.filter(({ text }) => strictnessOf(text) === 'exact').length
    const loose = is.filter(({ text }) => strictnessOf(text) === 'loose')
    const weaker = loose.slice(0, Math.max(0, exact(was) - exact(is)))
    return [...flags, ...weaker.map(({ line, text }) => ({ file, line, kind: 'loosened_assertion' as const, text }))]
  })
}

/** Those that are not among the others as well. */
function without(lines: readonly DiffLine[], others: readonly DiffLine[]): DiffLine[] {
  const there = new Set(others.map(({ text }) => text.trim()))
  return lines.filter(({ text }) => !there.has(text.trim()))
}

export function lowered(hunk: Hunk, file: string): SilencedCheck[] {
  return blocksOf(hunk).flatMap(({ gone, come }) => {
    const bars = gone.flatMap(({ text }) => barsIn(text))
    // The last first: each pays for one, in their order.
    const before = Map.groupBy(bars.toReversed(), ({ name }) => name)
    return come.flatMap(({ line, text }) =>
      barsIn(text).flatMap(({ name, value, isLimit }): SilencedCheck[] => {
        const bar = before.get(name)?.pop()
        const isLower = bar !== undefined && (isLimit ? value > bar.value : value < bar.value)
        return isLower ? [{ file, line, kind: 'lowered_bar', text }] : []
      }),
    )
  })
}
