// What a test or a check demands before and after, where one line took the place of another.

import type { SilencedCheck } from './silencing.ts'
import { barsIn, READABLE } from './silencing-marks.ts'
import { expectsOtherwise, isAssertion, strictnessOf, toleratesMore } from './silencing-tests.ts'
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
    const [gone, come] = [block.gone, block.come].map((lines) => lines.filter(({ text }) => isAssertion(text)))
    const same = (one: DiffLine) => (other: DiffLine) => one.text.trim() === other.text.trim()
    const [was, is] = [gone!.filter((one) => !come!.some(same(one))), come!.filter((one) => !gone!.some(same(one)))]
    const flags = is.flatMap(({ line, text }): SilencedCheck[] => {
      const before = was.find((one) => expectsOtherwise(one.text, text))
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

export function lowered(hunk: Hunk, file: string): SilencedCheck[] {
  return blocksOf(hunk).flatMap(({ gone, come }) => {
    const before = gone.flatMap(({ text }) => barsIn(text))
    return come.flatMap(({ line, text }) =>
      barsIn(text).flatMap(({ name, value, isLimit }): SilencedCheck[] => {
        const at = before.findIndex((bar) => bar.name === name)
        const [bar] = at < 0 ? [] : before.splice(at, 1)
        const isLower = bar !== undefined && (isLimit ? value > bar.value : value < bar.value)
        return isLower ? [{ file, line, kind: 'lowered_bar', text }] : []
      }),
    )
  })
}
