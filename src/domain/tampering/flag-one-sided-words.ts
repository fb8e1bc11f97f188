// Flags words that stand on one side of a diff only.
import type { DiffLine, FileDiff, Hunk } from '../text/unified-diff.ts'
import { listFileRoles } from './file-roles.ts'
import { findThresholds, LIST_ROWS, MAX_LINE, PATTERN_ROWS, type PatternRow } from './patterns.ts'
import type { TamperingFlag } from './tampering-flag.ts'

type Side = PatternRow['side']

interface Words extends Pick<PatternRow, 'kind' | 'side'> {
  /** Identifies the words among others of their kind. */
  readonly mark: string
}

interface Mark extends Words {
  readonly file: FileDiff
  readonly line: DiffLine
}

/** Words on both sides of a hunk stayed; a line or a test that stands on the other side of any file moved. */
export function flagOneSidedWords(files: readonly FileDiff[], isTest: (path: string) => boolean): TamperingFlag[] {
  const hunks = files.flatMap((file) =>
    file.hunks.map((hunk) => {
      const [gone, come] = (['old', 'new'] as const).map((side) => findMarks(hunk, side, file, isTest(file.path)))
      const same = ({ mark }: Mark) => mark
      return { gone: subtractMarks(gone, come, same), come: subtractMarks(come, gone, same) }
    }),
  )
  const [gone, come] = [hunks.flatMap((hunk) => hunk.gone), hunks.flatMap((hunk) => hunk.come)]
  const moved = ({ kind, mark, line }: Mark) => (kind === 'deleted_test' ? mark : line.text.trim())
  // A deleted test or settings file is flagged as a whole.
  const isCounted = ({ kind, file }: Mark) => file.kind !== 'deleted' || (kind === 'deleted_test' && !isTest(file.path))
  return [
    ...subtractMarks(come, gone, moved).filter(({ side }) => side === 'new'),
    ...subtractMarks(gone, come, moved).filter((mark) => mark.side === 'old' && isCounted(mark)),
  ].map(({ file, line, kind }) => ({ file: file.path, line: line.line, kind, text: line.text }))
}

/** Each of the others cancels one mark. */
function subtractMarks(
  marks: readonly Mark[] = [],
  others: readonly Mark[] = [],
  same: (mark: Mark) => string,
): Mark[] {
  const key = (mark: Mark) => `${mark.side}\n${mark.kind}\n${same(mark)}`
  const left = Map.groupBy(others, key)
  return marks.filter((mark) => left.get(key(mark))?.pop() === undefined)
}

/** Marks in the lines that only this side of the hunk has. */
function findMarks(hunk: Hunk, own: Side, file: FileDiff, isTest: boolean): Mark[] {
  const roles = listFileRoles(file.path, isTest)
  const rows = PATTERN_ROWS.filter(({ role }) => roles.has(role))
  const lists = LIST_ROWS.filter(({ role }) => roles.has(role)).map((row) => ({ ...row, isOpen: false }))
  const lines = hunk.filter(({ side, text }) => (side === 'both' || side === own) && text.length <= MAX_LINE)
  return lines.flatMap((line) => {
    const items = lists.flatMap((list): Words[] => {
      if (/^\s*(?:[\])}]|$|\[|\w[\w-]*\s*[:=])/.test(line.text)) list.isOpen = false
      const isItem = list.isOpen
      if (list.opens.test(line.text)) list.isOpen = true
      return isItem ? [{ kind: 'lowered_bar', side: list.side, mark: line.text.replace(/,\s*$/, '') }] : []
    })
    if (line.side !== own) return []
    const words = [...items, ...findWords(line.text, rows), ...(roles.has('config') ? nameThresholds(line.text) : [])]
    return words.map((each) => ({ ...each, mark: each.mark.replace(/\s+/g, ' ').trim(), file, line }))
  })
}

function findWords(text: string, rows: readonly PatternRow[]): Words[] {
  return rows.flatMap(({ kind, side, patterns }) =>
    patterns.flatMap((pattern): Words[] => {
      const [all, name = all] = pattern.exec(text) ?? []
      const mark = side === 'old' ? name : all
      return mark === undefined ? [] : [{ kind, side, mark }]
    }),
  )
}

function nameThresholds(text: string): Words[] {
  return findThresholds(text).map(({ name }) => ({ kind: 'lowered_bar', side: 'old', mark: name }))
}
