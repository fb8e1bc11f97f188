// Which of a commit's checks know of one issue: tests that name a file of its change, and all that turned with a commit of its own. The
// others passed or failed with the whole commit, and say nothing about this issue alone.
import { basename } from 'node:path'
import type { CommandComparison } from '../../domain/verification/compare-runs.ts'
import type { IssueReport, Report } from './report-model.ts'

export interface OwnCheck {
  readonly command: string
  /** The command itself names a file of the change. */
  readonly isNamed: boolean
  readonly tests: OwnTests
}

export type OwnTests = Readonly<Record<'broken' | 'gone' | 'fixed' | 'broken_before', readonly string[]>>

/** Only the commands that say something about the issue. */
export function listOwnChecks(issue: IssueReport, { commits }: Pick<Report, 'commits'>): OwnCheck[] {
  const files = [...new Set([issue.file, ...(issue.diff?.files ?? [])])]
  const commit = commits.find(({ issue_codes }) => issue_codes.includes(issue.issue_code))
  const isAlone = commit !== undefined && commit.issue_codes.length === 1 && commit.train === undefined
  return (issue.verification?.commands ?? []).flatMap((comparison) => {
    const { command } = comparison
    const tests = selectTests(comparison, (test) => isAlone || files.some((file) => namesFile(test, file)))
    const isNamed = files.some((file) => command.includes(file))
    return isNamed || Object.values(tests).some((names) => names.length > 0) ? [{ command, isNamed, tests }] : []
  })
}

function selectTests({ tests }: CommandComparison, isOwn: (test: string) => boolean): OwnTests {
  const { broken = [], gone = [], fixed = [], broken_before = [] } = tests ?? {}
  return {
    broken: broken.filter(isOwn),
    gone: gone.filter(isOwn),
    fixed: fixed.filter(isOwn),
    broken_before: broken_before.filter(isOwn),
  }
}

const LANGUAGES: readonly (readonly string[])[] = [
  ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte'],
  ['c', 'h', 'cc', 'cpp', 'cxx', 'hpp', 'hh'],
  ['java', 'kt', 'kts', 'scala', 'groovy'],
]
/** Names that files of many folders have: the folder's name tells them apart. */
const COMMON_STEMS: ReadonlySet<string> = new Set([
  'index',
  'main',
  'mod',
  'lib',
  'init',
  'util',
  'utils',
  'helpers',
  'types',
])

/** `tests/test_cart.py::test_total` names `shop/cart.py`, and neither `shop/cart.js` nor `shop/cartoon.py`. */
export function namesFile(test: string, file: string): boolean {
  if (test.includes(file)) return true
  const written = /\.([a-z]{1,6})(?![\w.])/i.exec(test)?.[1]
  const extension = /\.(\w+)$/.exec(file)?.[1]
  if (written && extension && isCode(written) && findLanguage(written) !== findLanguage(extension)) return false
  const stem = splitWords(basename(file).replace(/\.[^.]*$/, ''))
  const folder = file.split('/').at(-2)
  const isCommon = stem.length === 1 && COMMON_STEMS.has(stem[0] ?? '')
  const wanted = isCommon && folder ? [...splitWords(folder), ...stem] : stem
  return wanted.length > 0 && ` ${splitWords(test).join(' ')} `.includes(` ${wanted.join(' ')} `)
}

const CODE = /^(py|rb|go|rs|php|cs|swift|ex|exs|dart|lua|pl)$/

function isCode(extension: string): boolean {
  return CODE.test(extension) || LANGUAGES.some((all) => all.includes(extension))
}

function findLanguage(extension: string): string {
  return LANGUAGES.find((all) => all.includes(extension))?.[0] ?? extension
}

function splitWords(text: string): string[] {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
