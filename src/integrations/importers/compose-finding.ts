// Puts a finding together from a result whose file is known: what the tool says, and nothing that it does not say.
import type { Finding } from '../../domain/issue/parse-findings.ts'
import { toToolKey } from '../../domain/issue/tool-key.ts'
import { toOneLine, truncateText } from '../../domain/text/truncate.ts'
import { MAX_TEXT_CHARACTERS, type ReportedPlace, type ReportedResult } from './importer.ts'

const MAX_TITLE_CHARACTERS = 160
const MAX_DESCRIPTION_CHARACTERS = 2 * MAX_TEXT_CHARACTERS
const MAX_FURTHER_PLACES = 10

interface Naming {
  readonly file: string
  readonly code: string
  readonly resolve: (result: ReportedResult, place: ReportedPlace) => string | undefined
}

export function composeFinding(result: ReportedResult, { file, code, resolve }: Naming): Finding {
  const { tool, rule, message, ruleText, helpUri, place, severity, category, suggestedFix } = result
  const others = (result.alsoAt ?? []).flatMap((each) => {
    const path = resolve(result, each)
    return path === undefined ? [] : `${path}${each.line === undefined ? '' : `:${each.line}`}`
  })
  const about = ruleText && ruleText !== message ? `: ${ruleText}` : ''
  const paragraphs = [
    message,
    `Reported by ${tool}, rule ${rule}${about}${helpUri ? ` (${helpUri})` : ''}`,
    ...(others.length > 0 ? [`See also ${[...new Set(others)].slice(0, MAX_FURTHER_PLACES).join(', ')}`] : []),
  ]
  const line = formatLine(place)
  return {
    issue_code: code,
    title: composeTitle(message),
    description: truncateText(paragraphs.join('\n\n'), MAX_DESCRIPTION_CHARACTERS),
    file,
    ...(line === undefined ? {} : { line }),
    severity,
    category: category || toToolKey(tool),
    ...(suggestedFix ? { suggested_fix: suggestedFix } : {}),
  }
}

/** The first line, or its first sentence if it is long. */
function composeTitle(message: string): string {
  const [first = ''] = message.split('\n')
  const [sentence = first] = first.length > MAX_TITLE_CHARACTERS ? first.split(/(?<=[.!?])\s/) : [first]
  return truncateText(toOneLine(sentence), MAX_TITLE_CHARACTERS) || 'no message'
}

function formatLine({ line, endLine }: ReportedPlace = { path: '' }): string | undefined {
  if (line === undefined || !Number.isSafeInteger(line) || line < 1) return undefined
  return endLine !== undefined && Number.isSafeInteger(endLine) && endLine > line ? `${line}-${endLine}` : `${line}`
}
