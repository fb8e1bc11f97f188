// Codes of imported findings: `RUFF-S602-1a2b3c4d`, from tool, rule and fingerprint. Findings with the same fingerprint are numbered in
// the order of their places, so that the order of the report decides nothing.
import { IssueCode } from '../../domain/issue/issue.ts'
import { toToolKey } from '../../domain/issue/tool-key.ts'
import type { ReportedResult } from './importer.ts'

const MAX_TOOL_CHARACTERS = 20
/** What is left of the 80 characters of a code for tool and rule. */
const MAX_NAME_CHARACTERS = 64

export interface CodedResult {
  readonly result: ReportedResult
  readonly file: string
  readonly fingerprint: string
}

/** `taken`: the codes that others have already. */
export function assignCodes<Each extends CodedResult>(
  located: readonly Each[],
  taken: readonly string[] = [],
): ReadonlyMap<Each, string> {
  const used = new Set(taken.map((code) => code.toLowerCase()))
  const lastNumbers = new Map<string, number>()
  const codes = new Map<Each, string>()
  for (const each of [...located].sort(comparePlaces)) {
    const base = composeCode(each)
    let number = lastNumbers.get(base.toLowerCase()) ?? 1
    let code = base
    while (used.has(code.toLowerCase())) code = `${base}-${++number}`
    lastNumbers.set(base.toLowerCase(), number)
    used.add(code.toLowerCase())
    codes.set(each, code)
  }
  return codes
}

function composeCode({ result: { tool, rule }, fingerprint }: CodedResult): string {
  const shortTool = toToolKey(tool).toUpperCase().slice(0, MAX_TOOL_CHARACTERS)
  const plainRule = rule
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-._]+|[-._]+$/g, '')
  // The end of a long rule says more than its beginning.
  const shortRule = plainRule.slice(-(MAX_NAME_CHARACTERS - shortTool.length - 1)).replace(/^[-._]+/, '')
  return IssueCode.parse([shortTool, shortRule, fingerprint.slice(0, 8)].filter((part) => part !== '').join('-'))
}

function comparePlaces(one: CodedResult, two: CodedResult): number {
  const [a, b] = [one.result.place, two.result.place]
  return (
    compareTexts(one.file, two.file) ||
    (a?.line ?? 0) - (b?.line ?? 0) ||
    (a?.column ?? 0) - (b?.column ?? 0) ||
    compareTexts(one.fingerprint, two.fingerprint) ||
    compareTexts(one.result.message, two.result.message)
  )
}

function compareTexts(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0
}
