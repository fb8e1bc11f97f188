// Asks a person about what a session waits for, one thing at a time, and sends what they say. What somebody else settles meanwhile
// is not asked any more.

import type { OpenQuestion, SessionState } from '../../app/session-state.ts'
import type { Told } from '../../client/session-messages.ts'
import type { MessageInput, MessageName } from '../../domain/people/message-schemas.ts'
import { paint, say } from '../terminal/console.ts'
import { describePlan, describeQuestion, describeScope } from '../terminal/describe-decision.ts'
import { editText } from '../terminal/editor.ts'
import { ask, choose } from '../terminal/prompt.ts'
import { harmless } from '../terminal/sanitize.ts'
import { planFile, readPlanFile } from './plan-file.ts'

export type Send = <Name extends MessageName>(name: Name, message: MessageInput<Name>) => Promise<Told>

/** One thing to be settled. Its key is the same as long as it is open. */
export type Item =
  | { readonly kind: 'question'; readonly key: string; readonly question: OpenQuestion; readonly left: number }
  /** What to do with the questions that were left open. */
  | { readonly kind: 'rest'; readonly key: string; readonly left: number }
  | { readonly kind: 'plan' | 'scope'; readonly key: string }

/** `later`: it stays open because the person wants it so. `closed`: somebody else settled it. */
export type Asked = 'said' | 'refused' | 'later' | 'interrupted' | 'closed'

export interface Asking {
  readonly state: SessionState
  readonly send: Send
  readonly signal: AbortSignal
}

/** What is to be asked next; `leftOpen` are the keys of what the person did not want to settle now. */
export function nextItem(state: SessionState, leftOpen: ReadonlySet<string>): Item | undefined {
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

export function isStillOpen({ key, kind }: Item, state: SessionState): boolean {
  switch (kind) {
    case 'question':
      return state.questions.some(({ id }) => key === `question/${id}`)
    case 'rest':
      return state.questions.length > 0 && key === `rest/${state.request}`
    default:
      return key === `${kind}/${state.request}`
  }
}

/** What is said is about what the person saw, and about nothing that came after it. */
function asked({ request }: SessionState): { request?: string } {
  return request === null ? {} : { request }
}

export async function askAbout(item: Item, asking: Asking): Promise<Asked> {
  switch (item.kind) {
    case 'question':
      return await askQuestion(item, asking)
    case 'rest':
      return await askForTheRest(item, asking)
    case 'plan':
      return await askAboutPlan(asking)
    case 'scope':
      return await askAboutScope(asking)
  }
}

async function askQuestion(
  { question, left }: Extract<Item, { kind: 'question' }>,
  { send, signal }: Asking,
): Promise<Asked> {
  say(describeQuestion(question, process.stderr))
  say(paint('dim', `  ${left > 1 ? `${left} questions are open; ` : ''}Enter alone leaves it open`))
  const reply = await ask(signal)
  if (reply.kind !== 'text') return otherwise(reply.kind)
  if (reply.text === '') return 'later'
  return report(await send('answerClarification', { answers: { [question.id]: reply.text } }))
}

async function askForTheRest(
  { left }: Extract<Item, { kind: 'rest' }>,
  { state, send, signal }: Asking,
): Promise<Asked> {
  say(`${left === 1 ? 'one question is' : `${left} questions are`} still open:`)
  const ways = { later: 'answer them another time', skip: 'let the fixer begin without these answers' }
  const chosen = await choose(ways, signal)
  if (chosen.kind !== 'chosen') return otherwise(chosen.kind)
  return chosen.key === 'later' ? 'later' : report(await send('answerClarification', { ...asked(state), skip: true }))
}

async function askAboutPlan({ state, send, signal }: Asking): Promise<Asked> {
  const { plan } = state
  if (plan === null) return 'later'
  say(describePlan(state, process.stderr))
  for (;;) {
    say('the plan:')
    const chosen = await choose(
      {
        approve: 'begin with it',
        edit: 'change order, leave issues out, add notes',
        reject: 'have it made again',
        later: 'decide another time',
      },
      signal,
    )
    if (chosen.kind !== 'chosen') return otherwise(chosen.kind)
    if (chosen.key === 'later') return 'later'
    if (chosen.key === 'approve') return report(await send('decidePlan', { ...asked(state), decision: 'approve' }))
    if (chosen.key === 'edit') {
      const edit = await editPlan(state)
      if (edit) return report(await send('decidePlan', { ...asked(state), decision: 'edit', edit }))
      continue
    }
    say('why? The planner is told:')
    const reason = await ask(signal)
    if (reason.kind !== 'text') return otherwise(reason.kind)
    if (reason.text !== '')
      return report(await send('decidePlan', { ...asked(state), decision: 'reject', reason: reason.text }))
  }
}

/** What somebody changed in their editor; why nothing was is said. */
export async function editPlan({ session_id, plan, issues }: SessionState) {
  if (plan === null) return undefined
  const titles = new Map(issues.map(({ issue_code, title }) => [issue_code, title]))
  const edited = await editText(planFile(session_id, plan, titles), `plan-${session_id}.yaml`, process.env)
  const read = edited.kind === 'failed' ? edited : readPlanFile(edited.text, plan)
  if (read.kind === 'edit') return read.edit
  say(read.kind === 'unchanged' ? 'nothing was changed in it' : `nothing was changed: ${read.reason}`)
  return undefined
}

async function askAboutScope({ state, send, signal }: Asking): Promise<Asked> {
  const { scope } = state
  if (scope === null) return 'later'
  say(describeScope(scope, process.stderr, false))
  for (;;) {
    say('these changes:')
    const chosen = await choose(
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
    if (chosen.kind !== 'chosen') return otherwise(chosen.kind)
    switch (chosen.key) {
      case 'later':
        return 'later'
      case 'none':
        return report(await send('decideScope', { ...asked(state), decision: 'reject' }))
      case 'some': {
        scope.files.forEach(({ path }, index) => void say(`  ${index + 1}  ${harmless(path)}`))
        say('which? Their numbers:')
        const reply = await ask(signal)
        if (reply.kind !== 'text') return otherwise(reply.kind)
        const numbers = reply.text.split(/[\s,]+/).filter((word) => word !== '')
        const paths = numbers.map((number) => scope.files[Number(number) - 1]?.path)
        if (paths.length > 0 && paths.every((path) => path !== undefined))
          return report(await send('decideScope', { ...asked(state), decision: 'approve', paths }))
        say(`type numbers from 1 to ${scope.files.length}`)
        break
      }
      default: {
        const remember = { approve: 'session', once: 'once', repository: 'repository' } as const
        return report(
          await send('decideScope', { ...asked(state), decision: 'approve', remember: remember[chosen.key] }),
        )
      }
    }
  }
}

function otherwise(kind: 'interrupted' | 'closed' | 'left'): Asked {
  return kind === 'left' ? 'later' : kind
}

/** Says what became of it. */
export function report(told: Told): 'said' | 'refused' {
  switch (told.kind) {
    case 'taken':
      say(`${paint('green', '✔')} ${told.says}`)
      break
    case 'repeated':
      say(told.says)
      break
    case 'refused':
      say(`${paint('red', '✗')} refused: ${told.reason}`)
      break
    case 'sent':
      say('sent: no worker answered in time, it is taken in as soon as one runs')
      break
    case 'ended':
      say('the session has ended: nothing is changed any more')
      break
  }
  return told.kind === 'refused' ? 'refused' : 'said'
}
