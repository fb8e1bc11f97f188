// `fixwright plan SESSION`: shows a session's plan, and sends a person's decision about it: approve, edit or reject.

import { FixwrightError, RefusedError } from '../../app/errors.ts'
import { hasChanges, type UnsignedMessage } from '../../app/session/send-message.ts'
import type { PlanEdit } from '../../domain/people/message-schemas.ts'
import type { SessionState } from '../../domain/session/session-state.ts'
import { editPlan } from '../session/ask-person.ts'
import { type SessionConversation, withSessionConversation } from '../session/message-session.ts'
import { print, printJson } from '../terminal/console.ts'
import { describePlan, describeWait } from '../terminal/describe-decision.ts'
import { isInteractive } from '../terminal/prompt.ts'

export interface PlanOptions {
  readonly json: boolean
  readonly approve: boolean
  readonly reject?: string | undefined
  /** In an editor. */
  readonly edit: boolean
  readonly drop: readonly string[]
  readonly order: readonly string[]
  /** `CODE=text`. */
  readonly notes: readonly string[]
}

export async function runPlanCommand(typed: string, options: PlanOptions): Promise<number> {
  const { approve, reject, json } = options
  const flags = parseEditFlags(options)
  const edits = options.edit || hasChanges(flags)
  if (reject !== undefined && (approve || edits))
    throw new RefusedError('bad_input', ['a plan is rejected, or edited and approved: not both at once'])
  return withSessionConversation(typed, async (conversation) => {
    const state = await conversation.state()
    if (reject === undefined && !approve && !edits) return await showPlan(conversation, state, json)
    const edit = options.edit ? mergeEdits(await requireEditedPlan(state), flags) : flags
    const message: UnsignedMessage<'decidePlan'> =
      reject !== undefined
        ? { decision: 'reject', reason: reject }
        : { decision: approve ? 'approve' : 'edit', ...(edits ? { edit } : {}) }
    await conversation.send('decidePlan', message)
    return await conversation.finish(json)
  })
}

/** Starts no instance to show the plan; on a terminal the person can decide right away. */
async function showPlan(conversation: SessionConversation, state: SessionState, json: boolean): Promise<number> {
  const isOpen = state.waiting?.kind === 'plan'
  if (isOpen && !json && isInteractive()) {
    await conversation.askOpenItems(state)
    return await conversation.finish(json)
  }
  if (json) printJson(state)
  else print([describePlan(state, process.stdout), ...(isOpen ? ['', describeWait(state)] : [])].join('\n'))
  return 0
}

function parseEditFlags({ drop, order, notes }: PlanOptions): PlanEdit {
  const problems = notes.filter((note) => note.indexOf('=') < 1)
  if (problems.length > 0)
    throw new RefusedError(
      'bad_input',
      problems.map((note) => `--note ${note}: must be CODE=text`),
    )
  const entries = notes.map((note) => [note.slice(0, note.indexOf('=')).trim(), note.slice(note.indexOf('=') + 1)])
  return { drop: splitCodes(drop), order: splitCodes(order), notes: Object.fromEntries(entries) }
}

function splitCodes(lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split(',').map((code) => code.trim())).filter((code) => code !== '')
}

async function requireEditedPlan(state: SessionState): Promise<PlanEdit> {
  if (state.plan === null) throw new RefusedError('bad_input', [`session ${state.session_id} has no plan yet`])
  const edit = await editPlan(state)
  if (edit) return edit
  throw new FixwrightError('bad_input', 'nothing was changed: the plan stays as it is')
}

function mergeEdits(one: PlanEdit, other: PlanEdit): PlanEdit {
  return {
    drop: [...new Set([...one.drop, ...other.drop])],
    order: other.order.length > 0 ? other.order : one.order,
    notes: { ...one.notes, ...other.notes },
  }
}
