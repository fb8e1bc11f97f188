// Validates people's messages against the session's dialogue, plain data that the workflow carries, without changing it: an update's
// validator and a signal decide by the same rules. A repeated answer is accepted; a different answer to a decided request is refused.
import { z } from 'zod'
import type { MessageRefusal, MessageRefusalCode } from '../errors/error-codes.ts'
import { truncateText } from '../text/truncate.ts'
import {
  type AnswerMessage,
  hasChanges,
  MAX_MESSAGE_TOTAL,
  type PlanEdit,
  type PlanMessage,
  type ScopeMessage,
  sumLengths,
} from './message-schemas.ts'

/** Who decided, when (in milliseconds since the epoch) and with which tool. */
export interface DecisionSource {
  readonly by: string
  readonly from: string
  readonly at: number
}

export interface ClarificationQuestion {
  /** `FUNC-001-q1`, or `general-q1` if it is about all issues. */
  readonly id: string
  readonly code?: string | undefined
  readonly question: string
  readonly context: string
}

export interface AnsweredQuestion extends ClarificationQuestion, DecisionSource {
  readonly answer: string
}

export const OUTSIDE_WORKSPACE = 'outside the workspace'

/** A file that a fix changed although it lies outside of the scope. */
export const OutsideFile = z.object({
  path: z.string(),
  /** `outside the workspace`, `protected`. */
  why: z.string(),
  codes: z.array(z.string()).readonly(),
})
export type OutsideFile = z.infer<typeof OutsideFile>

/** The request that the session waits for. There is at most one at a time. */
export type OpenRequest =
  | { readonly kind: 'clarification'; readonly request: string; readonly questions: readonly ClarificationQuestion[] }
  | {
      readonly kind: 'plan'
      readonly request: string
      readonly codes: readonly string[]
      /** Characters that are left for notes, after those of earlier edits. */
      readonly room: number
    }
  | { readonly kind: 'scope'; readonly request: string; readonly files: readonly OutsideFile[]; readonly more: number }

export interface Dialogue {
  readonly open?: OpenRequest | undefined
  readonly answered: readonly AnsweredQuestion[]
  /** Past decisions by request, which late and repeated messages are compared with. */
  readonly decisions: Readonly<Record<string, string>>
}

export type ValidatedMessage<T> =
  | { readonly kind: 'taken'; readonly change: T; readonly response: string }
  | { readonly kind: 'repeated'; readonly response: string }
  | MessageRefusal

export const EMPTY_DIALOGUE: Dialogue = { answered: [], decisions: {} }

export function listUnanswered({ open, answered }: Dialogue): ClarificationQuestion[] {
  if (open?.kind !== 'clarification') return []
  return open.questions.filter(({ id }) => !answered.some((each) => each.id === id))
}

/** The session's history carries all answers again and again, and Temporal limits the size of a payload. */
export const MAX_ANSWERS_BYTES = 256 * 1024

export function countJsonBytes(answered: readonly object[]): number {
  return new TextEncoder().encode(JSON.stringify(answered)).length
}

/** The new answers, and whether the rest is skipped. */
export interface AcceptedAnswers {
  readonly answers: readonly { readonly question: ClarificationQuestion; readonly answer: string }[]
  readonly skip: boolean
}

export function validateAnswers(dialogue: Dialogue, message: AnswerMessage): ValidatedMessage<AcceptedAnswers> {
  const { answers, skip, request } = message
  const { answered } = dialogue
  const open = listUnanswered(dialogue)
  const fresh: { question: ClarificationQuestion; answer: string }[] = []
  for (const [id, answer] of Object.entries(answers)) {
    const before = answered.find((each) => each.id === id)
    if (before?.answer === answer) continue
    if (before)
      return refuse(
        `${id} was answered by ${before.by} already, differently: "${truncateAnswer(before.answer)}"`,
        'already_decided',
      )
    const question = open.find((each) => each.id === id)
    if (!question) return refuse(`there is no open question ${id}${describeOpenQuestions(dialogue)}`, 'nothing_open')
    fresh.push({ question, answer })
  }
  const all = countJsonBytes([...answered, ...fresh.map(({ question, answer }) => ({ ...question, answer }))])
  if (fresh.length > 0 && all > MAX_ANSWERS_BYTES) {
    return refuse(
      `all questions and answers of a session together are at most ${MAX_ANSWERS_BYTES} bytes, and with this ${all}: shorten it, or skip the rest`,
    )
  }
  // A skip beside answers is about their round.
  const asked = dialogue.open?.kind === 'clarification' ? dialogue.open.questions : []
  const named = Object.keys(answers)
  const isEarlierRound = named.length > 0 && !named.some((id) => asked.some((question) => question.id === id))
  const late = skip && !isEarlierRound ? validateRequest(dialogue, 'clarification', request, 'skipped') : undefined
  if (late?.kind === 'refused') return late
  const skips = skip && !isEarlierRound && !late && open.length > fresh.length
  if (fresh.length === 0 && !skips) return { kind: 'repeated', response: 'it was answered so already' }
  const response = [...fresh.map(({ question }) => question.id), ...(skips ? ['the rest is skipped'] : [])].join(', ')
  return { kind: 'taken', change: { answers: fresh, skip: skips }, response }
}

function describeOpenQuestions(dialogue: Dialogue): string {
  const ids = listUnanswered(dialogue).map(({ id }) => id)
  return ids.length === 0 ? ': nothing is being asked now' : `: open are ${ids.join(', ')}`
}

export type PlanDecision =
  | { readonly decision: 'approve'; readonly edit?: PlanEdit | undefined }
  | { readonly decision: 'edit'; readonly edit: PlanEdit }
  | { readonly decision: 'reject'; readonly reason: string }

export function validatePlanDecision(dialogue: Dialogue, message: PlanMessage): ValidatedMessage<PlanDecision> {
  const decision = toPlanDecision(message)
  const late = validateRequest(dialogue, 'plan', message.request, summarizeDecision(decision))
  const { open } = dialogue
  if (late || open?.kind !== 'plan') return late ?? refuse(NOTHING_OPEN.plan, 'nothing_open')
  const { drop = [], order = [], notes = {} } = message.edit ?? {}
  const unknown = [...drop, ...order, ...Object.keys(notes)].filter((code) => !open.codes.includes(code))
  if (unknown.length > 0) return refuse(`the plan has no issue ${[...new Set(unknown)].join(', ')}`)
  const { room } = open
  if (sumLengths(notes) > room)
    return refuse(`the notes on a plan are at most ${MAX_MESSAGE_TOTAL} characters: ${room} are left`)
  if (open.codes.every((code) => drop.includes(code)))
    return refuse('nothing would be left of it: cancel the session instead')
  return { kind: 'taken', change: decision, response: `the plan: ${decision.decision}` }
}

function toPlanDecision({ decision, edit, reason = '' }: PlanMessage): PlanDecision {
  if (decision === 'reject') return { decision, reason }
  if (decision === 'edit') return { decision, edit: normalizeEdit(edit ?? NO_EDIT) }
  return { decision: 'approve', ...(edit && hasChanges(edit) ? { edit: normalizeEdit(edit) } : {}) }
}

const NO_EDIT: PlanEdit = { drop: [], order: [], notes: {} }

/** Sorts keys, so that the same edit in another order counts as a repetition. */
function normalizeEdit({ drop, order, notes }: PlanEdit): PlanEdit {
  const byCode = Object.entries(notes).sort(([one], [two]) => (one < two ? -1 : 1))
  return { drop: [...new Set(drop)].sort(), order, notes: Object.fromEntries(byCode) }
}

export type RememberScope = ScopeMessage['remember']

export type ScopeDecision =
  | { readonly decision: 'approve'; readonly paths?: readonly string[] | undefined; readonly remember: RememberScope }
  | { readonly decision: 'reject'; readonly reason?: string | undefined }

export function validateScopeDecision(dialogue: Dialogue, message: ScopeMessage): ValidatedMessage<ScopeDecision> {
  const { decision: kind, paths, remember, reason } = message
  const decision: ScopeDecision =
    kind === 'reject'
      ? { decision: kind, reason }
      : { decision: kind, paths: paths && [...new Set(paths)].sort(), remember }
  const late = validateRequest(dialogue, 'scope', message.request, summarizeDecision(decision))
  const { open } = dialogue
  if (late || open?.kind !== 'scope') return late ?? refuse(NOTHING_OPEN.scope, 'nothing_open')
  const strange = (paths ?? []).filter(
    (path) => open.more === 0 && !open.files.some((file) => isCoveredByGrant(path, file.path)),
  )
  if (strange.length > 0) return refuse(`${strange.join(', ')}: not among the files in question`)
  return { kind: 'taken', change: decision, response: `the scope: ${kind}${paths ? ` ${paths.join(', ')}` : ''}` }
}

/** A grant is an exact path, or a folder (it ends in a slash) with everything below it. */
export function isCoveredByGrant(granted: string, path: string): boolean {
  return granted.endsWith('/') ? path.startsWith(granted) : path === granted
}

const NOTHING_OPEN: Readonly<Record<OpenRequest['kind'], string>> = {
  clarification: 'there is no open question to skip',
  plan: 'there is no plan to decide about now',
  scope: 'there is no file outside of the scope to decide about now',
}

/**
 * Whether a decision is late: repeated, or refused. Undefined if it is about the open request. Without a request it is
 * about the open one of its kind, else about the last one.
 */
function validateRequest(
  { open, decisions }: Dialogue,
  kind: OpenRequest['kind'],
  request: string | undefined,
  decision: string,
): ValidatedMessage<never> | undefined {
  const isOpen = open?.kind === kind
  if (isOpen && (request ?? open.request) === open.request) return undefined
  const last = Object.keys(decisions).findLast((name) => name.startsWith(`${kind}/`))
  const before = decisions[request === undefined ? `${last}` : `${kind}/${request}`]
  if (before === decision) return { kind: 'repeated', response: 'it was decided so already' }
  if (before === 'answered')
    return refuse('there is nothing to skip: all that was asked is answered', 'already_decided')
  const what = request === undefined ? `the ${kind}` : `"${request}"`
  if (before === 'deadline') return refuse(`nobody decided about ${what} in time`, 'already_decided')
  if (before !== undefined) return refuse(`${what} was decided already, differently`, 'already_decided')
  if (request === undefined) return refuse(NOTHING_OPEN[kind], 'nothing_open')
  return refuse(`${what} is not what is open now${isOpen ? `: that is "${open.request}"` : ''}`, 'nothing_open')
}

const MAX_SUMMARY_LENGTH = 200

/**
 * The words of a decision, cut short because the session's history carries them again and again.
 * Gap: long decisions of one length that begin alike count as the same.
 */
export function summarizeDecision(decision: PlanDecision | ScopeDecision): string {
  const words = JSON.stringify(decision)
  return words.length <= MAX_SUMMARY_LENGTH ? words : `${words.slice(0, MAX_SUMMARY_LENGTH)}… ${words.length}`
}

function refuse(reason: string, code: MessageRefusalCode = 'message_refused'): MessageRefusal {
  return { kind: 'refused', code, reason }
}

function truncateAnswer(text: string): string {
  return truncateText(text, 60)
}
