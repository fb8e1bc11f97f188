// What people decide about, in words: open questions, the plan, files outside of the scope. All of it comes from agents and
// repositories, so nothing of it reaches a terminal that this would obey.
import type { OpenQuestion, OpenScope, SessionState } from '../../app/session-state.ts'
import { moment, paint } from './console.ts'
import { harmless, safe } from './sanitize.ts'

type Stream = NodeJS.WriteStream

const DIFF_LINES = 80

export function describeQuestion({ id, question, context }: OpenQuestion, stream: Stream): string {
  const lines = [`${paint('yellow', '?', stream)} ${paint('bold', id, stream)}  ${safe(question)}`]
  if (context !== '') lines.push(paint('dim', indented(safe(context)), stream))
  return lines.join('\n')
}

/** What it waits for, since when, until when, and the command that ends that. */
export function describeWait({ waiting }: Pick<SessionState, 'waiting'>): string {
  if (waiting === null) return 'it waits for nobody'
  const { reason, since, until, answer } = waiting
  const limits = `since ${moment(since)}${until === undefined ? '' : `, until ${moment(until)}`}`
  return `waits for ${harmless(reason)} (${limits})${answer === undefined ? '' : `\n  to answer: ${answer}`}`
}

export function describePlan({ plan, issues }: SessionState, stream: Stream): string {
  if (plan === null) return 'there is no plan yet'
  const titles = new Map(issues.map(({ issue_code, title }) => [issue_code, harmless(title)]))
  const stages = plan.stages.flatMap(({ batches }, index) => {
    const several = plan.stages.length > 1 && batches.length > 1
    return [
      ...(several ? [paint('bold', `stage ${index + 1}`, stream)] : []),
      ...batches.flatMap(({ label, steps }) => [
        `${paint('bold', label, stream)}  ${paint('dim', inOrder(steps), stream)}`,
        ...steps.flat().map((code) => describeIssuePlan(code, titles.get(code) ?? '', plan.issues[code], stream)),
      ]),
    ]
  })
  const remarks = plan.remarks.map((remark) => `! ${harmless(remark)}`)
  const approved = plan.approved_by === undefined ? [] : [`approved by ${harmless(plan.approved_by)}`]
  return [...stages, ...remarks, ...approved].join('\n')
}

function inOrder(steps: readonly (readonly string[])[]): string {
  return steps.map((step) => step.join(' + ')).join(', then ')
}

type IssuePlan = NonNullable<SessionState['plan']>['issues'][string]

function describeIssuePlan(code: string, title: string, own: IssuePlan | undefined, stream: Stream): string {
  const lines = [`  ${paint('cyan', code, stream)}  ${title}`]
  if (own?.approach) lines.push(indented(safe(own.approach), 4))
  own?.steps.forEach((step, index) => void lines.push(indented(`${index + 1}. ${safe(step)}`, 4)))
  if (own && own.verification.length > 0)
    lines.push(indented(`checked by: ${own.verification.map(safe).join('; ')}`, 4))
  if (own?.note) lines.push(paint('yellow', indented(`note: ${safe(own.note)}`, 4), stream))
  return lines.join('\n')
}

/** The files by the issues that changed them, then what was changed; cut where it is only to remind of it. */
export function describeScope(scope: OpenScope, stream: Stream, whole: boolean): string {
  const groups = Map.groupBy(scope.files, ({ issue_codes }) => issue_codes.join(', '))
  const files = [...groups].flatMap(([codes, members]) => [
    paint('bold', codes, stream),
    ...members.map(({ path, why }) => `  ${harmless(path)}  ${paint('dim', harmless(why), stream)}`),
  ])
  if (scope.more > 0) files.push(`  and ${scope.more} more`)
  const lines = safe(scope.diff).trimEnd().split('\n')
  const shown = whole ? lines : lines.slice(0, DIFF_LINES)
  const cut =
    shown.length < lines.length ? [paint('dim', `… and ${lines.length - shown.length} more lines`, stream)] : []
  const diff = scope.diff === '' ? [] : ['', ...shown.map((line) => coloured(line, stream)), ...cut]
  return [...files, ...diff].join('\n')
}

function coloured(line: string, stream: Stream): string {
  if (line.startsWith('+')) return paint('green', line, stream)
  if (line.startsWith('-')) return paint('red', line, stream)
  return line.startsWith('@@') ? paint('cyan', line, stream) : line
}

function indented(text: string, by = 2): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n')
}
