// One line that says what of a report was taken, and why the rest was not.
import { joinList } from '../../domain/text/join-list.ts'
import { toOneLine, truncateMiddle } from '../../domain/text/truncate.ts'
import type { ImportSummary } from './import-findings.ts'

const MAX_NAMED_FILES = 3
const MAX_PATH_CHARACTERS = 120

export function describeImport({ format, results, tools, incomplete, ...left }: ImportSummary): string {
  const taken = [...tools.values()].reduce((sum, count) => sum + count, 0)
  const by = [...tools].map(([tool, count]) => (tools.size === 1 ? tool : `${tool} ${count}`)).join(', ')
  const parts = [
    `${taken} of ${results} results taken${by && ` (${by})`}`,
    ...countPart(left.suppressed, 'suppressed'),
    ...countPart(left.done, 'fixed or passed already'),
    ...countPart(left.withoutFile, 'skipped: they name no file'),
    ...describeUnknownFiles(left),
  ]
  const warning = incomplete.length > 0 ? `; the run was not complete: ${joinList(incomplete)}` : ''
  return `read as ${format}: ${parts.join(', ')}${warning}`
}

export function describeUnknownFiles({ unknownFiles }: Pick<ImportSummary, 'unknownFiles'>): string[] {
  const names = [...new Set(unknownFiles)].map((path) => truncateMiddle(toOneLine(path), MAX_PATH_CHARACTERS))
  const named = joinList(names, ', ', MAX_NAMED_FILES)
  return countPart(unknownFiles.length, `skipped: the repository has no such file (${named})`)
}

function countPart(count: number, what: string): string[] {
  return count > 0 ? [`${count} ${what}`] : []
}
