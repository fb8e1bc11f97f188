// Turns reviewers' findings into issues, or refuses them all and reports every problem with its position. It is permissive about names
// and spelling (other reviewers' keys and severities), strict about what decides: codes, paths, severities, estimates.
import type { z } from 'zod'
import { parsePathInside } from '../scope/paths.ts'
import { isJsonObject, parseJson } from '../text/parse-json.ts'
import { toOneLine, truncateText } from '../text/truncate.ts'
import { Issue, IssueCode, Severity } from './issue.ts'

/** An issue before the store gives it an id. */
export const Finding = Issue.omit({ issue_id: true })
export type Finding = z.infer<typeof Finding>

export type ParsedFindings =
  | { readonly issues: Finding[]; readonly problems?: undefined }
  | { readonly problems: string[]; readonly issues?: undefined }

export interface FindingOptions {
  readonly root?: string | undefined
}

const SEVERITY_SYNONYMS: Readonly<Record<string, Severity>> = { major: 'high', minor: 'low' }

/** Parses a text as JSON, and takes anything else as parsed JSON. */
export function parseFindings(input: unknown, { root }: FindingOptions = {}): ParsedFindings {
  const parsed = typeof input === 'string' ? parseJson(input) : { value: input }
  if (parsed.problem !== undefined) return { problems: [parsed.problem] }
  const problems: string[] = []
  const issues: Finding[] = []
  const seen = new Map<string, string>()
  for (const { at, item } of parseItems(parsed.value, problems)) {
    const finding = parseFinding(item, at, root, problems)
    if (!finding) continue
    // Codes become file names and refs, and not every file system distinguishes f1 from F1.
    const code = finding.issue_code.toLowerCase()
    const first = seen.get(code)
    if (first === undefined) seen.set(code, at)
    else problems.push(`${at}.issue_code: ${finding.issue_code} is already the code of ${first}`)
    issues.push(finding)
  }
  return problems.length > 0 ? { problems } : { issues }
}

interface Item {
  readonly at: string
  readonly item: unknown
}

function parseItems(value: unknown, problems: string[]): Item[] {
  if (Array.isArray(value)) return toItems(value, '')
  if (isJsonObject(value)) {
    for (const name of ['issues', 'findings']) {
      if (Array.isArray(value[name])) return toItems(value[name], name)
    }
    if (Array.isArray(value.groups)) {
      return value.groups.flatMap((group: unknown, index) => {
        if (isJsonObject(group) && Array.isArray(group.findings))
          return toItems(group.findings, `groups[${index}].findings`)
        problems.push(`groups[${index}].findings: must be a list of findings`)
        return []
      })
    }
  }
  problems.push('must be a list of findings, {"issues": [ … ]} or {"groups": [{"findings": [ … ]}]}')
  return []
}

function toItems(list: readonly unknown[], name: string): Item[] {
  return list.map((item, index) => ({ at: `${name}[${index}]`, item }))
}

function parseFinding(item: unknown, at: string, root: string | undefined, problems: string[]): Finding | undefined {
  if (!isJsonObject(item)) {
    problems.push(`${at}: must be an object with issue_code, title and file`)
    return undefined
  }
  const before = problems.length
  const refuse = (name: string, problem: string) => void problems.push(`${at}.${name}: ${problem}`)
  const text = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = item[name] ?? undefined
      if (value === undefined) continue
      if (typeof value !== 'string') refuse(name, `must be a text, is ${formatValue(value)}`)
      else if (value.trim() !== '') return value.trim()
    }
    return undefined
  }
  const required = (value: string | undefined, name: string) => {
    if (value === undefined && !problems.slice(before).some((each) => each.startsWith(`${at}.${name}:`)))
      refuse(name, 'is missing')
    return value ?? ''
  }
  const whole = (name: string, most: number): number | undefined => {
    const value = item[name] ?? undefined
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${most}`
    refuse(name, `must be a whole number ${range}, is ${formatValue(value)}`)
    return undefined
  }

  for (const [name, meant] of listMisspeltKeys(item)) refuse(name, `is no key of a finding; did you mean ${meant}?`)
  const code = required(text('issue_code', 'id'), 'issue_code')
  const codeProblem = code === '' ? undefined : IssueCode.safeParse(code).error?.issues[0]?.message
  if (codeProblem !== undefined) refuse('issue_code', `${formatValue(code)} ${codeProblem}`)
  const title = required(text('title', 'issue'), 'title')
  const inside = typeof item.file === 'string' ? parsePathInside(item.file, root) : undefined
  if (inside === undefined)
    refuse('file', item.file === undefined ? 'is missing' : `must be a text, is ${formatValue(item.file)}`)
  else if (inside.problem !== undefined) refuse('file', `${formatValue(item.file)} ${inside.problem}`)

  const finding = {
    issue_code: code,
    title: toOneLine(title),
    description: text('description', 'issue') ?? title,
    file: inside?.path ?? '',
    line: parseLine(item.line, refuse),
    severity: parseSeverity(item.severity, refuse),
    category: text('category'),
    suggested_fix: text('suggested_fix', 'fix_hint'),
    estimated_effort: whole('estimated_effort', 5),
    estimated_files_count: whole('estimated_files_count', Number.MAX_SAFE_INTEGER),
  }
  return problems.length > before ? undefined : withoutUndefined(finding)
}

const KEYS = [
  ...['issue_code', 'id', 'title', 'issue', 'description', 'file', 'line', 'severity', 'category', 'suggested_fix'],
  ...['fix_hint', 'estimated_effort', 'estimated_files_count'],
]

/** Other keys are other tools' own; one that is nearly ours would be ignored without a word. */
function listMisspeltKeys(item: Record<string, unknown>): (readonly [name: string, meant: string])[] {
  return Object.keys(item).flatMap((name) => {
    if (KEYS.includes(name)) return []
    const meant = KEYS.find((key) => !(key in item) && isMisspelt(name, key))
    return meant === undefined ? [] : [[name, meant] as const]
  })
}

/** One letter is missing, too many, wrong, or in its neighbour's place. */
function isMisspelt(name: string, key: string): boolean {
  if (key.length < 5 || Math.abs(name.length - key.length) > 1) return false
  let from = 0
  while (from < key.length && name[from] === key[from]) from += 1
  const [rest, ours] = [name.slice(from), key.slice(from)]
  const isSwapped = rest.slice(0, 2) === `${ours[1]}${ours[0]}` && rest.slice(2) === ours.slice(2)
  return isSwapped || [rest.slice(1), rest].includes(ours.slice(1)) || rest.slice(1) === ours
}

type Refuse = (name: string, problem: string) => void

function parseSeverity(value: unknown, refuse: Refuse): Severity {
  if (value === undefined || value === null) return 'medium'
  const name = typeof value === 'string' ? value.trim().toLowerCase() : ''
  const parsed = Severity.safeParse(Object.hasOwn(SEVERITY_SYNONYMS, name) ? SEVERITY_SYNONYMS[name] : name)
  if (parsed.success) return parsed.data
  const synonyms = Object.entries(SEVERITY_SYNONYMS).map(([synonym, severity]) => `${synonym} for ${severity}`)
  refuse('severity', `${formatValue(value)} is none of ${Severity.options.join(', ')} (or ${synonyms.join(', ')})`)
  return 'medium'
}

/** The line is a hint for people and prompts, so any short text will do. */
function parseLine(value: unknown, refuse: Refuse): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return String(value)
  if (typeof value === 'string' && value.length <= 40) return toOneLine(value) || undefined
  refuse('line', `must be a line number or a range such as "45-67", is ${formatValue(value)}`)
  return undefined
}

function formatValue(value: unknown): string {
  return truncateText(JSON.stringify(value) ?? String(value), 61)
}

function withoutUndefined(fields: Record<string, unknown>): Finding {
  return Finding.parse(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
}
