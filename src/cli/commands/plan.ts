// `fixwright plan SESSION`: shows a session's plan, and takes a person's decision about it: approve, edit, reject.

import type { SessionState } from '../../app/session-state.ts'
import { type MessageInput, type PlanEdit, saysSomething } from '../../domain/people/message-schemas.ts'
import { BAD_INPUT, badInput, Exit } from '../exit-codes.ts'
import { editPlan } from '../session/ask-person.ts'
import { atDoor, type Door } from '../session/message-session.ts'
import { print } from '../terminal/console.ts'
import { describePlan, describeWait } from '../terminal/describe-decision.ts'
import { isConversation } from '../terminal/prompt.ts'

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

export async function plan(typed: string, options: PlanOptions): Promise<number> {
  const { approve, reject, json } = options
  const flags = editOf(options)
  const edits = options.edit || saysSomething(flags)
  if (reject !== undefined && (approve || edits))
    throw badInput(['a plan is rejected, or edited and approved: not both at once'])
  return atDoor(typed, async (door) => {
    const state = await door.state()
    if (reject === undefined && !approve && !edits) return await look(door, state, json)
    const edit = options.edit ? merged(await fromEditor(state), flags) : flags
    const message: MessageInput<'decidePlan'> =
      reject !== undefined
        ? { decision: 'reject', reason: reject }
        : { decision: approve ? 'approve' : 'edit', ...(edits ? { edit } : {}) }
    await door.tell('decidePlan', { ...shown(state), ...message })
    return await door.leave(json)
  })
}

/** Nothing is started to look at it; on a terminal it can be decided right there. */
async function look(door: Door, state: SessionState, json: boolean): Promise<number> {
  const isOpen = state.waiting?.kind === 'plan'
  if (isOpen && !json && isConversation()) {
    await door.ask(state)
    return await door.leave(json)
  }
  if (json) print(JSON.stringify(state, null, 2))
  else print([describePlan(state, process.stdout), ...(isOpen ? ['', describeWait(state)] : [])].join('\n'))
  return 0
}

/** What is decided about is what is on show, and no later plan. */
function shown({ waiting, request }: SessionState): { request?: string } {
  return waiting?.kind === 'plan' && request !== null ? { request } : {}
}

function editOf({ drop, order, notes }: PlanOptions): PlanEdit {
  const problems = notes.filter((note) => note.indexOf('=') < 1)
  if (problems.length > 0) throw badInput(problems.map((note) => `--note ${note}: must be CODE=text`))
  const noted = notes.map((note) => [note.slice(0, note.indexOf('=')).trim(), note.slice(note.indexOf('=') + 1)])
  return { drop: codes(drop), order: codes(order), notes: Object.fromEntries(noted) }
}

function codes(lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split(',').map((code) => code.trim())).filter((code) => code !== '')
}

async function fromEditor(state: SessionState): Promise<PlanEdit> {
  if (state.plan === null) throw badInput([`session ${state.session_id} has no plan yet`])
  const edit = await editPlan(state)
  if (edit) return edit
  throw new Exit(BAD_INPUT, 'nothing was changed: the plan stays as it is')
}

function merged(one: PlanEdit, other: PlanEdit): PlanEdit {
  return {
    drop: [...new Set([...one.drop, ...other.drop])],
    order: other.order.length > 0 ? other.order : one.order,
    notes: { ...one.notes, ...other.notes },
  }
}
