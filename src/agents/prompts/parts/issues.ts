// Renders the issues. If they don't all fit, the lowest severity loses its long texts first, later issues before earlier ones. None is
// left out, as each is to be fixed and answered for; the prompt names the issues that were shortened.
import { type Issue, Severity } from '../../../domain/issue/issue.ts'
import { type FitLevel, listPart } from '../fit-list.ts'
import { type PromptPart, SHRINK_ORDER } from '../render-prompt.ts'
import { shorten } from '../shorten.ts'

type ShownIssue = Pick<
  Issue,
  'issue_code' | 'file' | 'line' | 'title' | 'description' | 'severity' | 'category' | 'suggested_fix'
>

const MAX_TEXT = 300
const MAX_TITLE = 120
const MAX_PATH = 1000

const LEVELS: readonly FitLevel<ShownIssue>[] = [
  ({ description, suggested_fix: fix, ...issue }) => ({
    ...issue,
    description: cutWithEllipsis(description),
    suggested_fix: fix === undefined ? undefined : cutWithEllipsis(fix),
  }),
  ({ issue_code, file, line, title, severity }) => ({
    ...{ issue_code, file: shorten(file, MAX_PATH).text, line: line?.slice(0, 40), severity },
    title: shorten(title, MAX_TITLE).text,
    description: '',
  }),
]
const REMARKS = [
  'only the beginning of `description` and `suggested_fix` fits.',
  '`description` and `suggested_fix` did not fit and are not shown: title, file and line have to do.',
]

export function issuesPart(issues: readonly Issue[]): PromptPart {
  const shown = issues.map(toShownIssue)
  return listPart('issues', shown, Number.POSITIVE_INFINITY, {
    levels: LEVELS,
    order: lowestSeverityFirst(shown),
    rank: SHRINK_ORDER.issues,
    describeCuts: (cut) =>
      [
        ...REMARKS.flatMap((remark, index) => {
          const codes = cut(index + 1)
          return codes.length > 0 ? [`Of ${codes.join(', ')} ${remark}`] : []
        }),
        'These issues count as much as the others: look at their files.',
      ].join(' '),
  })
}

/** Selects the fields that an agent needs: not our own id, nor the estimated cost. */
function toShownIssue(issue: Issue): ShownIssue {
  const { issue_code, file, line, title, description, severity, category, suggested_fix } = issue
  return { issue_code, file, line, title, description, severity, category, suggested_fix }
}

function lowestSeverityFirst(issues: readonly ShownIssue[]): number[] {
  const rank = ({ severity }: ShownIssue) => Severity.options.indexOf(severity)
  const order = issues.map((issue, index) => ({ index, rank: rank(issue) }))
  return order.sort((one, other) => other.rank - one.rank || other.index - one.index).map(({ index }) => index)
}

function cutWithEllipsis(text: string): string {
  const short = shorten(text, MAX_TEXT)
  return short.omitted ? `${short.text} …` : short.text
}
