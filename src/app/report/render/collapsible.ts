// Builds the foldable parts of an issue: output and diff. Text that issues share is shown once, at the first of them.

import { joinList } from '../../../domain/text/join-list.ts'
import { parseDiff } from '../../../domain/text/unified-diff.ts'
import type { CommandComparison, RunEffect } from '../../../domain/verification/compare-runs.ts'
import type { IssueDiff, IssueReport } from '../report-model.ts'
import type { Block, Inline, RenderLimits } from './blocks.ts'
import { takeHeadLines, takeTailLines } from './text.ts'

/** Text already shown, and where: the code of an issue or the step of a run. Issues may share files, and runs outputs. */
export type ShownTexts = Map<string, string>

const EFFECT_LABELS: Readonly<Record<RunEffect, string>> = {
  passes: 'passes',
  fixed: 'fixed by us: it failed before',
  broken: 'broken by us: it passed before',
  no_worse: 'broken before, and still; none of its tests is newly broken',
  unproven: 'broken before, and still: it proves nothing',
  fails: 'fails; how it was before is not known',
  not_run: 'not run: another had failed',
}

/** Claims that the command passed before only if it did: single tests may break without that. */
export function describeEffect({ effect, before, after }: CommandComparison): string {
  const passedBefore = before === 'passed' && after !== 'passed'
  return effect === 'broken' && !passedBefore ? 'broken by us' : EFFECT_LABELS[effect]
}

export function buildOutputBlocks(
  comparison: CommandComparison,
  room: RenderLimits,
  { place, shown }: { place: string; shown: ShownTexts },
): Block[] {
  const { command, after, effect, output } = comparison
  const isGood = after === 'passed' && effect !== 'broken'
  if (room.output === 0 || after === null || isGood || output.trim() === '') return []
  const key = JSON.stringify([command, effect, output])
  const known = shown.get(key)
  if (known !== undefined) {
    return [{ kind: 'paragraph', text: ['What ', { code: command }, ` printed stands at ${known}: it is the same.`] }]
  }
  shown.set(key, place)
  const { text, isCut } = takeTailLines(output, room.output)
  const title = [
    `${isCut ? 'the end of what' : 'what'} `,
    { code: command },
    ` printed (${describeEffect(comparison)})`,
  ]
  return [{ kind: 'fold', title, language: 'text', text }]
}

const DIFF_TITLES = {
  commit: 'the diff',
  attempt: 'what the last attempt changed: it is not committed',
  glimpse: 'the beginning of the diff: the commit is gone',
} as const

/** A file that other issues also changed is shown at the first of them. */
export function buildDiffBlocks({ issue_code, diff }: IssueReport, room: RenderLimits, shown: ShownTexts): Block[] {
  if (!diff || diff.text === '' || room.diff === 0) return []
  const parts = splitDiffByFile(diff).map((part) => ({ ...part, key: JSON.stringify({ [diff.source]: part.text }) }))
  const elsewhere = Map.groupBy(parts, ({ key }) => shown.get(key))
  const own = elsewhere.get(undefined) ?? []
  elsewhere.delete(undefined)
  const pointers = [...elsewhere].map(([code, known]): Block => {
    const names = joinList([...new Set(known.flatMap(({ paths }) => paths))])
    const place: Inline = code === undefined ? '' : { issue: code }
    return {
      kind: 'paragraph',
      text: ['What was changed in ', { code: names }, ' stands at ', place, ': it is the same.'],
    }
  })
  if (own.length === 0) return pointers

  const { text, isCut } = takeHeadLines(own.map((part) => part.text).join(''), room.diff)
  let end = 0
  for (const [index, part] of own.entries()) {
    end += part.text.length
    // The first part counts as shown even if cut: no other issue has more room. A cut also drops the last newline.
    if (index === 0 || end <= text.length + 1) shown.set(part.key, issue_code)
  }
  const rest = pointers.length > 0 ? ', but for that' : ''
  const more = isCut || diff.is_cut ? ', cut' : ''
  return [...pointers, { kind: 'fold', title: [`${DIFF_TITLES[diff.source]}${rest}${more}`], language: 'diff', text }]
}

/** Splits a diff by file; text that holds more than a diff stays whole. */
function splitDiffByFile({ text, files }: IssueDiff): { readonly paths: readonly string[]; readonly text: string }[] {
  const parts = parseDiff(text)
  const isWhole = parts.map((part) => part.text).join('') === `${text.replace(/\n$/, '')}\n`
  return isWhole ? parts.map((part) => ({ paths: [part.path], text: part.text })) : [{ paths: files, text }]
}
