// Writes the plan as a YAML file for a person to edit, and reads the changes back. An unreadable file changes nothing.
import { parse, stringify } from 'yaml'
import { hasChanges, parseMessage } from '../../app/session/send-message.ts'
import type { PlanEdit } from '../../domain/people/message-schemas.ts'
import type { SessionPlan } from '../../domain/session/session.ts'
import { sanitizeLine } from '../terminal/sanitize.ts'

export type PlanFileResult =
  | { readonly kind: 'edit'; readonly edit: PlanEdit }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string }

/** Lists all issues of the plan in working order. */
export function listPlanIssueCodes({ stages }: SessionPlan): string[] {
  return stages.flatMap(({ batches }) => batches.flatMap(({ steps }) => steps.flat()))
}

export function renderPlanFile(sessionId: string, plan: SessionPlan, titles: ReadonlyMap<string, string>): string {
  const codes = listPlanIssueCodes(plan)
  const titled = codes.map((code) => `#   ${code}  ${sanitizeLine(titles.get(code) ?? '')}`.trimEnd())
  const notes = Object.fromEntries(codes.map((code) => [code, plan.issues[code]?.note ?? '']))
  return `# The plan of session ${sessionId}. Change what you like, save, and close the editor; saved as it is, nothing is changed.
#
# order: the issues as they are to be planned; which of them can run at once is computed from it.
# drop:  issues that are left out, as in [FUNC-001, FUNC-002].
# notes: what the fixer should know about an issue.
#
${titled.join('\n')}

${stringify({ order: codes, drop: [], notes })}`
}

const ERROR_MARK = '#! '

/** The person's text below the reason why it could not be read, in place of an earlier one. */
export function withEditError(text: string, reason: string): string {
  const error = [...reason.split('\n'), 'Put it right and save; saved as it is, the plan stays as it was.']
  return [...error.map((line) => `${ERROR_MARK}${sanitizeLine(line)}`), withoutEditError(text)].join('\n')
}

export function withoutEditError(text: string): string {
  const lines = text.split('\n').filter((line) => !line.startsWith(ERROR_MARK))
  return lines.join('\n')
}

export function parsePlanFile(text: string, plan: SessionPlan): PlanFileResult {
  let written: unknown
  try {
    written = parse(text) ?? {}
  } catch (error) {
    return { kind: 'refused', reason: `that is no YAML: ${(error as Error).message.split('\n')[0]}` }
  }
  // The edit is validated as part of an approval, which may carry one.
  const read = parseMessage('decidePlan', { decision: 'approve', edit: dropEmptyNotes(written) })
  if (read.kind === 'refused') return read
  const { drop = [], order = [], notes = {} } = read.message.edit ?? {}
  const before = listPlanIssueCodes(plan)
  const edit: PlanEdit = {
    drop,
    order: order.join() === before.join() ? [] : order,
    notes: Object.fromEntries(Object.entries(notes).filter(([code, note]) => plan.issues[code]?.note !== note)),
  }
  return hasChanges(edit) ? { kind: 'edit', edit } : { kind: 'unchanged' }
}

function dropEmptyNotes(written: unknown): unknown {
  if (typeof written !== 'object' || written === null || !('notes' in written)) return written
  const { notes } = written
  if (typeof notes !== 'object' || notes === null) return { ...written, notes: {} }
  return {
    ...written,
    notes: Object.fromEntries(Object.entries(notes).filter(([, note]) => note !== '' && note !== null)),
  }
}
