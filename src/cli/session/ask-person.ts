// Asks a person about each thing that a session waits for, and sends the answers. Items decided elsewhere are dropped.

import type { MessageResult, UnsignedMessage } from '../../app/session/send-message.ts'
import type { MessageName } from '../../domain/people/message-schemas.ts'
import type { OpenQuestion, SessionState } from '../../domain/session/session-state.ts'
import { paint, printNotice } from '../terminal/console.ts'
import { describePlan, describeQuestion, describeScope } from '../terminal/describe-decision.ts'
import { editText } from '../terminal/editor.ts'
import { promptChoice, promptLine } from '../terminal/prompt.ts'
import { sanitizeLine } from '../terminal/sanitize.ts'
import { parsePlanFile, renderPlanFile, withEditError, withoutEditError } from './plan-file.ts'

/** Sends a message and prints its outcome. */
export type SendToSession = <Name extends MessageName>(
  name: Name,
  message: UnsignedMessage<Name>,
) => Promise<'said' | 'refused'>

/** One thing to decide. Its key stays the same as long as it is open. */
export type OpenItem =
  | { readonly kind: 'question'; readonly key: string; readonly question: OpenQuestion; readonly left: number }
  /** How to handle the questions that were left open. */
  | { readonly kind: 'rest'; readonly key: string; readonly left: number }
  | { readonly kind: 'plan' | 'scope'; readonly key: string }

/** `later`: the person leaves it open. `closed`: somebody else decided it. */
export type AskResult = 'said' | 'refused' | 'later' | 'interrupted' | 'closed'

export interface AskContext {
  readonly state: SessionState
  readonly send: SendToSession
  readonly signal: AbortSignal
}

/** Finds the next item to ask about; `leftOpen` has the keys of items that the person chose to leave open. */
export function findNextItem(state: SessionState, leftOpen: ReadonlySet<string>): OpenItem | undefined {
  const { questions, waiting, request, scope, plan } = state
  const open = questions.filter(({ id }) => !leftOpen.has(`question/${id}`))
  const [question] = open
  if (question) return { kind: 'question', key: `question/${question.id}`, question, left: open.length }
  if (questions.length > 0) {
    const key = `rest/${request}`
    return leftOpen.has(key) ? undefined : { kind: 'rest', key, left: questions.length }
  }
  const kind = scope ? 'scope' : waiting?.kind === 'plan' && plan ? 'plan' : undefined
  const key = `${kind}/${request}`
  return kind === undefined || leftOpen.has(key) ? undefined : { kind, key }
}

export function isItemOpen({ key, kind }: OpenItem, state: SessionState): boolean {
  switch (kind) {
    case 'question':
      return state.questions.some(({ id }) => key === `question/${id}`)
    case 'rest':
      return state.questions.length > 0 && key === `rest/${state.request}`
    default:
      return key === `${kind}/${state.request}`
  }
}

export async function askItem(item: OpenItem, asking: AskContext): Promise<AskResult> {
  switch (item.kind) {
    case 'question':
      return await askQuestion(item, asking)
    case 'rest':
      return await askAboutUnanswered(item, asking)
    case 'plan':
      return await askAboutPlan(asking)
    case 'scope':
      return await askAboutScope(asking)
  }
}

async function askQuestion(
  { question, left }: Extract<OpenItem, { kind: 'question' }>,
  { send, signal }: AskContext,
): Promise<AskResult> {
  printNotice(describeQuestion(question, process.stderr))
  printNotice(paint('dim', `  ${left > 1 ? `${left} questions are open; ` : ''}Enter alone leaves it open`))
  const reply = await promptLine(signal)
  if (reply.kind !== 'text') return toAskResult(reply.kind)
  if (reply.text === '') return 'later'
  return await send('answerClarification', { answers: { [question.id]: reply.text } })
}

async function askAboutUnanswered(
  { left }: Extract<OpenItem, { kind: 'rest' }>,
  { send, signal }: AskContext,
): Promise<AskResult> {
  printNotice(`${left === 1 ? 'one question is' : `${left} questions are`} still open:`)
  const ways = { later: 'answer them another time', skip: 'let the fixer begin without these answers' }
  const chosen = await promptChoice(ways, signal)
  if (chosen.kind !== 'chosen') return toAskResult(chosen.kind)
  return chosen.key === 'later' ? 'later' : await send('answerClarification', { skip: true })
}

async function askAboutPlan({ state, send, signal }: AskContext): Promise<AskResult> {
  const { plan } = state
  if (plan === null) return 'later'
  printNotice(describePlan(state, process.stderr))
  for (;;) {
    printNotice('the plan:')
    const chosen = await promptChoice(
      {
        approve: 'begin with it',
        edit: 'change order, leave issues out, add notes',
        reject: 'have it made again',
        later: 'decide another time',
      },
      signal,
    )
    if (chosen.kind !== 'chosen') return toAskResult(chosen.kind)
    if (chosen.key === 'later') return 'later'
    if (chosen.key === 'approve') return await send('decidePlan', { decision: 'approve' })
    if (chosen.key === 'edit') {
      const edit = await editPlan(state)
      if (edit) return await send('decidePlan', { decision: 'edit', edit })
      continue
    }
    printNotice('why? The planner is told:')
    const reason = await promptLine(signal)
    if (reason.kind !== 'text') return toAskResult(reason.kind)
    if (reason.text !== '') return await send('decidePlan', { decision: 'reject', reason: reason.text })
  }
}

const MAX_EDITOR_OPENINGS = 5

/** Opens the plan in an editor until it can be read, and returns the changes. If there are none, prints why. */
export async function editPlan({ session_id, plan, issues }: SessionState) {
  if (plan === null) return undefined
  const titles = new Map(issues.map(({ issue_code, title }) => [issue_code, title]))
  let text = renderPlanFile(session_id, plan, titles)
  for (let openings = 1; ; openings += 1) {
    const edited = await editText(text, `plan-${session_id}.yaml`, process.env)
    const read = edited.kind === 'failed' ? edited : parsePlanFile(edited.text, plan)
    if (read.kind === 'edit') return read.edit
    // Whoever saves a refused text as it is has given up. An editor that is a script may break it each time.
    if (
      edited.kind === 'failed' ||
      read.kind !== 'refused' ||
      openings === MAX_EDITOR_OPENINGS ||
      withoutEditError(edited.text) === withoutEditError(text)
    ) {
      printNotice(read.kind === 'unchanged' ? 'nothing was changed in it' : `nothing was changed: ${read.reason}`)
      return undefined
    }
    printNotice(`the plan can't be read, and is opened again: ${read.reason}`)
    text = withEditError(edited.text, read.reason)
  }
}

async function askAboutScope({ state, send, signal }: AskContext): Promise<AskResult> {
  const { scope } = state
  if (scope === null) return 'later'
  printNotice(describeScope(scope, process.stderr, false))
  for (;;) {
    printNotice('these changes:')
    const chosen = await promptChoice(
      {
        approve: 'let them pass, in this session',
        once: 'let them pass this time',
        repository: 'let them pass, also in later sessions on this repository',
        some: 'only some of them; the rest is taken back',
        none: 'reject: what these issues changed is taken back',
        later: 'decide another time',
      },
      signal,
    )
    if (chosen.kind !== 'chosen') return toAskResult(chosen.kind)
    switch (chosen.key) {
      case 'later':
        return 'later'
      case 'none':
        return await send('decideScope', { decision: 'reject' })
      case 'some': {
        scope.files.forEach(({ path }, index) => void printNotice(`  ${index + 1}  ${sanitizeLine(path)}`))
        printNotice('which? Their numbers:')
        const reply = await promptLine(signal)
        if (reply.kind !== 'text') return toAskResult(reply.kind)
        const numbers = reply.text.split(/[\s,]+/).filter((word) => word !== '')
        const paths = numbers.map((number) => scope.files[Number(number) - 1]?.path)
        if (paths.length > 0 && paths.every((path) => path !== undefined))
          return await send('decideScope', { decision: 'approve', paths })
        printNotice(`type numbers from 1 to ${scope.files.length}`)
        break
      }
      default: {
        const remember = { approve: 'session', once: 'once', repository: 'repository' } as const
        return await send('decideScope', { decision: 'approve', remember: remember[chosen.key] })
      }
    }
  }
}

function toAskResult(kind: 'interrupted' | 'closed' | 'left'): AskResult {
  return kind === 'left' ? 'later' : kind
}

export function printMessageResult(result: MessageResult): 'said' | 'refused' {
  switch (result.kind) {
    case 'taken':
      printNotice(`${paint('green', '✔')} ${result.response}`)
      break
    case 'repeated':
      printNotice(result.response)
      break
    case 'refused':
      printNotice(`${paint('red', '✗')} refused: ${result.reason}`)
      break
    case 'sent':
      printNotice('sent: no worker answered in time, it is taken in as soon as one runs')
      break
    case 'ended':
      printNotice('the session has ended: nothing is changed any more')
      break
  }
  return result.kind === 'refused' ? 'refused' : 'said'
}
