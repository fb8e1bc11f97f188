// The issues of a prompt. Where they don't all fit, those of the lowest severity lose their long texts first, of the same severity the
// later ones; none is ever left out, as each is to be fixed and answered for, and the prompt says by their codes what is missing.
import { type Issue, Severity } from '../../../domain/issue/issue.ts'
import { jsonBlock } from '../data-block.ts'
import { type PromptPart, SHRINK_ORDER } from '../fit-to-limit.ts'
import { shorten } from '../shorten.ts'

type ShownIssue = Pick<
  Issue,
  'issue_code' | 'file' | 'line' | 'title' | 'description' | 'severity' | 'category' | 'suggested_fix'
>

const MAX_TEXT = 300
const MAX_TITLE = 120
const MAX_PATH = 1000

/** How much of an issue is said, more and more shortly. */
const LEVELS: readonly ((issue: ShownIssue) => ShownIssue)[] = [
  (issue) => issue,
  ({ description, suggested_fix, ...issue }) => ({
    ...issue,
    description: cutWithEllipsis(description),
    suggested_fix: suggested_fix === undefined ? undefined : cutWithEllipsis(suggested_fix),
  }),
  ({ issue_code, file, line, title, severity }) => ({
    ...{ issue_code, file: shorten(file, MAX_PATH).text, line: line?.slice(0, 40), severity },
    title: shorten(title, MAX_TITLE).text,
    description: '',
  }),
]

export function issuesPart(issues: readonly Issue[]): PromptPart {
  const shown = issues.map(toShownIssue)
  return {
    block: jsonBlock('issues', shown),
    shrinker: { rank: SHRINK_ORDER.issues, shrinkTo: (limit) => fitIssues(shown, limit) },
  }
}

/** What an agent needs of an issue: not our own id of it, nor what it was estimated to cost. */
function toShownIssue(issue: Issue): ShownIssue {
  const { issue_code, file, line, title, description, severity, category, suggested_fix } = issue
  return { issue_code, file, line, title, description, severity, category, suggested_fix }
}

function fitIssues(issues: readonly ShownIssue[], limit: number): PromptPart {
  const levels = issues.map(() => 0)
  const sizes = issues.map(measureIssue)
  let size = jsonBlock('issues', issues).content.length
  for (const [level, shortly] of LEVELS.entries()) {
    for (const index of lowestSeverityFirst(issues)) {
      const issue = issues[index]
      if (size <= limit || level === 0 || issue === undefined) continue
      const now = measureIssue(shortly(issue))
      size += now - (sizes[index] ?? 0)
      if (now !== sizes[index]) levels[index] = level
      sizes[index] = now
    }
  }
  const block = jsonBlock(
    'issues',
    issues.map((issue, index) => LEVELS[levels[index] ?? 0]?.(issue)),
  )
  return { block, remark: describeCuts(issues, levels) }
}

/** As it stands among the others. */
function measureIssue(issue: ShownIssue): number {
  return JSON.stringify([issue], null, 1).length
}

function lowestSeverityFirst(issues: readonly ShownIssue[]): number[] {
  const rank = ({ severity }: ShownIssue) => Severity.options.indexOf(severity)
  const order = issues.map((issue, index) => ({ index, rank: rank(issue) }))
  return order.sort((one, other) => other.rank - one.rank || other.index - one.index).map(({ index }) => index)
}

function describeCuts(issues: readonly ShownIssue[], levels: readonly number[]): string | undefined {
  const at = (level: number) => issues.flatMap(({ issue_code }, index) => (levels[index] === level ? [issue_code] : []))
  const [cut, bare] = [at(1), at(2)]
  const remarks = [
    ...(cut.length > 0
      ? [`Of ${cut.join(', ')} only the beginning of \`description\` and \`suggested_fix\` fits.`]
      : []),
    ...(bare.length > 0
      ? [
          `Of ${bare.join(', ')} \`description\` and \`suggested_fix\` did not fit and are not shown: title, file and line have to do.`,
        ]
      : []),
  ]
  if (remarks.length === 0) return undefined
  return [...remarks, 'These issues count as much as the others: look at their files.'].join(' ')
}

function cutWithEllipsis(text: string): string {
  const short = shorten(text, MAX_TEXT)
  return short.omitted ? `${short.text} …` : short.text
}
