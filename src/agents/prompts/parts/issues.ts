// The issues of a prompt. Where they don't all fit, those of the lowest severity lose their long texts first, of the same severity the
// later ones; none is ever left out, as each is to be fixed and answered for, and the prompt says by their codes what is missing.
import { type Issue, Severity } from '../../../domain/issue/issue.ts'
import { jsonBlock } from '../data-block.ts'
import { type Part, RANK } from '../fit-to-limit.ts'
import { shorten } from '../shorten.ts'

type Shown = Pick<
  Issue,
  'issue_code' | 'file' | 'line' | 'title' | 'description' | 'severity' | 'category' | 'suggested_fix'
>

const BEGINNING = 300
const MOST_OF_A_TITLE = 120
const MOST_OF_A_PATH = 1000

/** How much of an issue is said, more and more shortly. */
const LEVELS: readonly ((issue: Shown) => Shown)[] = [
  (issue) => issue,
  ({ description, suggested_fix, ...issue }) => ({
    ...issue,
    description: beginningOf(description),
    suggested_fix: suggested_fix === undefined ? undefined : beginningOf(suggested_fix),
  }),
  ({ issue_code, file, line, title, severity }) => ({
    ...{ issue_code, file: shorten(file, MOST_OF_A_PATH).text, line: line?.slice(0, 40), severity },
    title: shorten(title, MOST_OF_A_TITLE).text,
    description: '',
  }),
]

export function issuesPart(issues: readonly Issue[]): Part {
  const shown = issues.map(shownIssue)
  return { block: jsonBlock('issues', shown), gives: { rank: RANK.issues, to: (limit) => within(shown, limit) } }
}

/** What an agent needs of an issue: not our own id of it, nor what it was estimated to cost. */
function shownIssue(issue: Issue): Shown {
  const { issue_code, file, line, title, description, severity, category, suggested_fix } = issue
  return { issue_code, file, line, title, description, severity, category, suggested_fix }
}

function within(issues: readonly Shown[], limit: number): Part {
  const levels = issues.map(() => 0)
  const sizes = issues.map(sizeOf)
  let size = jsonBlock('issues', issues).content.length
  for (const [level, shortly] of LEVELS.entries()) {
    for (const index of leastFirst(issues)) {
      const issue = issues[index]
      if (size <= limit || level === 0 || issue === undefined) continue
      const now = sizeOf(shortly(issue))
      size += now - (sizes[index] ?? 0)
      if (now !== sizes[index]) levels[index] = level
      sizes[index] = now
    }
  }
  const block = jsonBlock(
    'issues',
    issues.map((issue, index) => LEVELS[levels[index] ?? 0]?.(issue)),
  )
  return { block, remark: remarkOn(issues, levels) }
}

/** As it stands among the others. */
function sizeOf(issue: Shown): number {
  return JSON.stringify([issue], null, 1).length
}

function leastFirst(issues: readonly Shown[]): number[] {
  const rank = ({ severity }: Shown) => Severity.options.indexOf(severity)
  const order = issues.map((issue, index) => ({ index, rank: rank(issue) }))
  return order.sort((one, other) => other.rank - one.rank || other.index - one.index).map(({ index }) => index)
}

function remarkOn(issues: readonly Shown[], levels: readonly number[]): string | undefined {
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

function beginningOf(text: string): string {
  const short = shorten(text, BEGINNING)
  return short.leftOut ? `${short.text} …` : short.text
}
