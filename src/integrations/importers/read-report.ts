// Recognises the format of a report by its content and reads it: the whole report, or nothing of it.
import { isJsonObject, parseJson } from '../../domain/text/parse-json.ts'
import { toOneLine, truncateText } from '../../domain/text/truncate.ts'
import { codeClimate } from './formats/code-climate.ts'
import { eslint } from './formats/eslint.ts'
import { github } from './formats/github.ts'
import { githubIssues } from './formats/github-issues.ts'
import { rdjson } from './formats/rdjson.ts'
import { sarif } from './formats/sarif.ts'
import { semgrep } from './formats/semgrep.ts'
import {
  type Importer,
  MAX_NAME_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  type ReportedPlace,
  type ReportedResult,
} from './importer.ts'

const IMPORTERS = {
  ...{ sarif, eslint, semgrep, rdjson, codeclimate: codeClimate, github, 'github-issues': githubIssues },
} as const satisfies Readonly<Record<string, Importer>>
type ToolFormat = keyof typeof IMPORTERS

export const FINDINGS_FORMATS = ['fixwright', ...(Object.keys(IMPORTERS) as ToolFormat[])] as const
export type FindingsFormat = (typeof FINDINGS_FORMATS)[number]

/** What GitHub's code scanning takes as well. */
export const MAX_REPORT_BYTES = 10 * 1024 * 1024
const MAX_RESULTS = 25_000
const MAX_DEPTH = 64

export type ReadReport =
  | { readonly kind: 'problems'; readonly problems: readonly string[] }
  /** Findings in our own format. */
  | { readonly kind: 'own'; readonly value: unknown }
  | {
      readonly kind: 'results'
      readonly format: ToolFormat
      readonly results: readonly ReportedResult[]
      readonly incomplete: readonly string[]
      readonly tools: readonly string[]
      readonly covered: readonly ReportedPlace[] | undefined
    }

/** Parses a text as JSON, and takes anything else as parsed JSON. */
export function readReport(input: unknown, format: FindingsFormat | 'auto'): ReadReport {
  if (typeof input === 'string' && Buffer.byteLength(input) > MAX_REPORT_BYTES) return refuse(TOO_LONG)
  const { value, problem } = typeof input === 'string' ? parseJson(input) : { value: input }
  if (problem !== undefined) return refuse(problem)
  if (isDeeperThan(value, MAX_DEPTH)) return refuse(`is nested deeper than ${MAX_DEPTH} levels: no report is`)
  const found = recogniseFormat(value)
  const chosen = format === 'auto' ? (found ?? 'fixwright') : format
  if (chosen === 'fixwright') {
    if (format === 'auto' && !mayBeFindings(value)) return refuse(NO_FORMAT)
    if (found === undefined) return { kind: 'own', value }
    return refuse(`is a report in the format ${found}, not ${chosen}: give --format ${found}, or leave it out`)
  }
  const isEmptyList = Array.isArray(value) && value.length === 0
  if (found !== chosen && !isEmptyList) {
    const hint = found === undefined ? 'and in none that is known' : `but in the format ${found}`
    return refuse(`is no report in the format ${chosen}, ${hint}: give another --format, or leave it out`)
  }
  const reading = IMPORTERS[chosen].read(value)
  if (!reading.results) return { kind: 'problems', problems: reading.problems }
  if (reading.results.length > MAX_RESULTS)
    return refuse(`has ${reading.results.length} results, and at most ${MAX_RESULTS} are taken: give a part of it`)
  const results = reading.results.map(limitTexts)
  const { incomplete, covered, tools = [] } = reading
  const ran = new Set([...tools.map(limitName), ...results.map(({ tool }) => tool)])
  return { kind: 'results', format: chosen, results, incomplete, covered, tools: [...ran] }
}

/** Results share the texts of their tool and rule: a long one would be in each finding. */
function limitTexts(result: ReportedResult): ReportedResult {
  const { tool, rule, message, ruleText, helpUri, category, suggestedFix } = result
  return {
    ...result,
    tool: limitName(tool) || 'tool',
    rule: limitName(rule) || 'no-rule',
    message: truncateText(message, MAX_TEXT_CHARACTERS).trim() || 'no message',
    ruleText: ruleText && truncateText(ruleText, MAX_TEXT_CHARACTERS).trim(),
    helpUri: helpUri && limitName(helpUri),
    category: category && limitName(category),
    suggestedFix: suggestedFix && truncateText(suggestedFix, MAX_TEXT_CHARACTERS).trim(),
  }
}

function limitName(text: string): string {
  return toOneLine(truncateText(text, MAX_NAME_CHARACTERS))
}

export const TOO_LONG = `is longer than ${MAX_REPORT_BYTES / 1024 / 1024} MiB: give a part of it`

const NO_FORMAT = `is in no format that is known: give findings ({"issues": [ … ]}), or a report as ${Object.keys(IMPORTERS).join(', ')}; most tools can write SARIF`

/** Whether its problems are worth telling one by one. */
function mayBeFindings(value: unknown): boolean {
  return Array.isArray(value) || (isJsonObject(value) && ['issues', 'findings', 'groups'].some((name) => name in value))
}

/** Undefined for what may be findings of our own. */
function recogniseFormat(value: unknown): ToolFormat | undefined {
  return (Object.keys(IMPORTERS) as ToolFormat[]).find((format) => IMPORTERS[format].recognises(value))
}

/** Goes level by level: a walk into the depth would end the stack. */
function isDeeperThan(value: unknown, most: number): boolean {
  let level: readonly object[] = isContainer(value) ? [value] : []
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === most) return true
    level = level.flatMap((each) => Object.values(each).filter(isContainer))
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function refuse(problem: string): ReadReport {
  return { kind: 'problems', problems: [problem] }
}
