// Describes what people decide about: open questions, the plan, files outside the scope. All of it comes from agents
// and repositories, so control characters are removed.

import type { OpenQuestion, OpenScope, SessionState } from '../../domain/session/session-state.ts'
import { formatDateTime, paint } from './console.ts'
import { sanitizeLine, sanitizeText } from './sanitize.ts'

type Stream = NodeJS.WriteStream

const MAX_DIFF_LINES = 80

export function describeQuestion({ id, question, context }: OpenQuestion, stream: Stream): string {
  const lines = [`${paint('yellow', '?', stream)} ${paint('bold', id, stream)}  ${sanitizeText(question)}`]
  if (context !== '') lines.push(paint('dim', indentText(sanitizeText(context)), stream))
  return lines.join('\n')
}

/** Describes what the session waits for, since and until when, and the command to answer with. */
export function describeWait({ waiting }: Pick<SessionState, 'waiting'>): string {
  if (waiting === null) return 'it waits for nobody'
  const { reason, since, until, answer } = waiting
  const limits = `since ${formatDateTime(since)}${until === undefined ? '' : `, until ${formatDateTime(until)}`}`
  return `waits for ${sanitizeLine(reason)} (${limits})${answer === undefined ? '' : `\n  to answer: ${answer}`}`
}

/** Describes a session that is no longer followed. */
export function describeLeft(sessionId: string): string {
  return `session ${sessionId} goes on in the background: "fixwright watch ${sessionId}" shows it, "fixwright cancel ${sessionId}" ends it`
}

export function describePlan({ plan, issues }: SessionState, stream: Stream): string {
  if (plan === null) return 'there is no plan yet'
  const titles = new Map(issues.map(({ issue_code, title }) => [issue_code, sanitizeLine(title)]))
  const stages = plan.stages.flatMap(({ batches }, index) => {
    const several = plan.stages.length > 1 && batches.length > 1
    return [
      ...(several ? [paint('bold', `stage ${index + 1}`, stream)] : []),
      ...batches.flatMap(({ label, steps }) => [
        `${paint('bold', label, stream)}  ${paint('dim', formatSteps(steps), stream)}`,
        ...steps.flat().map((code) => describeIssuePlan(code, titles.get(code) ?? '', plan.issues[code], stream)),
      ]),
    ]
  })
  const remarks = plan.remarks.map((remark) => `! ${sanitizeLine(remark)}`)
  const approved = plan.approved_by === undefined ? [] : [`approved by ${sanitizeLine(plan.approved_by)}`]
  return [...stages, ...remarks, ...approved].join('\n')
}

function formatSteps(steps: readonly (readonly string[])[]): string {
  return steps.map((step) => step.join(' + ')).join(', then ')
}

type IssuePlan = NonNullable<SessionState['plan']>['issues'][string]

function describeIssuePlan(code: string, title: string, own: IssuePlan | undefined, stream: Stream): string {
  const lines = [`  ${paint('cyan', code, stream)}  ${title}`]
  if (own?.approach) lines.push(indentText(sanitizeText(own.approach), 4))
  own?.steps.forEach((step, index) => void lines.push(indentText(`${index + 1}. ${sanitizeText(step)}`, 4)))
  if (own && own.verification.length > 0)
    lines.push(indentText(`checked by: ${own.verification.map(sanitizeText).join('; ')}`, 4))
  if (own?.note) lines.push(paint('yellow', indentText(`note: ${sanitizeText(own.note)}`, 4), stream))
  return lines.join('\n')
}

/** Lists the files by the issues that changed them, then the diff; without `whole` the diff is shortened. */
export function describeScope(scope: OpenScope, stream: Stream, whole: boolean): string {
  const groups = Map.groupBy(scope.files, ({ issue_codes }) => issue_codes.join(', '))
  const files = [...groups].flatMap(([codes, members]) => [
    paint('bold', codes, stream),
    ...members.map(({ path, why }) => `  ${sanitizeLine(path)}  ${paint('dim', sanitizeLine(why), stream)}`),
  ])
  if (scope.more > 0) files.push(`  and ${scope.more} more`)
  const lines = sanitizeText(scope.diff).trimEnd().split('\n')
  const shown = whole ? lines : lines.slice(0, MAX_DIFF_LINES)
  const cut =
    shown.length < lines.length ? [paint('dim', `… and ${lines.length - shown.length} more lines`, stream)] : []
  const diff = scope.diff === '' ? [] : ['', ...shown.map((line) => colorDiffLine(line, stream)), ...cut]
  return [...files, ...diff].join('\n')
}

function colorDiffLine(line: string, stream: Stream): string {
  if (line.startsWith('+')) return paint('green', line, stream)
  if (line.startsWith('-')) return paint('red', line, stream)
  return line.startsWith('@@') ? paint('cyan', line, stream) : line
}

function indentText(text: string, by = 2): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n')
}
