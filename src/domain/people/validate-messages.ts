// Validates people's messages against the session's dialogue, plain data that the workflow carries, without changing it: an update's
// validator and a signal decide by the same rules. A repeated answer is accepted; a different answer to a decided request is refused.
import { z } from 'zod'
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
  | { readonly kind: 'refused'; readonly reason: string }

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
  const { answers, skip } = message
  const { answered } = dialogue
  const open = listUnanswered(dialogue)
  const fresh: { question: ClarificationQuestion; answer: string }[] = []
  for (const [id, answer] of Object.entries(answers)) {
    const before = answered.find((each) => each.id === id)
    if (before?.answer === answer) continue
    if (before)
      return refuse(`${id} was answered by ${before.by} already, differently: "${truncateAnswer(before.answer)}"`)
    const question = open.find((each) => each.id === id)
    if (!question) return refuse(`there is no open question ${id}${describeOpenQuestions(dialogue)}`)
    fresh.push({ question, answer })
  }
  const all = countJsonBytes([...answered, ...fresh.map(({ question, answer }) => ({ ...question, answer }))])
  if (fresh.length > 0 && all > MAX_ANSWERS_BYTES) {
    return refuse(
      `all questions and answers of a session together are at most ${MAX_ANSWERS_BYTES} bytes, and with this ${all}: shorten it, or skip the rest`,
    )
  }
  const rest = open.filter((question) => !fresh.some((each) => each.question === question))
  const skips = skip ? validateSkip(dialogue, message) : undefined
  if (skips?.kind === 'refused') return skips
  const skipped = skips !== undefined && skips.kind !== 'repeated' && rest.length > 0
  if (fresh.length === 0 && !skipped) return { kind: 'repeated', response: 'it was answered so already' }
  const response = [...fresh.map(({ question }) => question.id), ...(skipped ? ['the rest is skipped'] : [])].join(', ')
  return { kind: 'taken', change: { answers: fresh, skip: skipped }, response }
}

/** A skip covers only the questions that the person saw, not later ones. */
function validateSkip(
  { open, decisions, answered }: Dialogue,
  { answers, request }: AnswerMessage,
): { readonly kind: 'open' | 'repeated' } | { readonly kind: 'refused'; readonly reason: string } {
  const named = Object.keys(answers)
  if (open?.kind === 'clarification') {
    const isMeant = request === undefined || request === open.request
    const earlier = named.length > 0 && !named.some((id) => open.questions.some((question) => question.id === id))
    if (isMeant && !earlier) return { kind: 'open' }
  }
  const how =
    request === undefined ? findLastDecision(decisions, 'clarification') : decisions[`clarification/${request}`]
  const known = named.length > 0 && named.every((id) => answered.some((each) => each.id === id))
  if (how === 'skipped' || (how !== undefined && known)) return { kind: 'repeated' }
  if (how === 'answered') return refuse('there is nothing to skip: all that was asked is answered')
  return refuse(request === undefined ? 'there is no open question to skip' : `"${request}" is not what is open now`)
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
  const earlier = findEarlierDecision(dialogue, 'plan', message.request, decision)
  if (earlier) return earlier
  const { open } = dialogue
  if (open?.kind !== 'plan') return refuse('there is no plan to decide about now')
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
  const earlier = findEarlierDecision(dialogue, 'scope', message.request, decision)
  if (earlier) return earlier
  const { open } = dialogue
  if (open?.kind !== 'scope') return refuse('there is no file outside of the scope to decide about now')
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

/** Whether a decision is repeated, late, or contradicts an earlier one; undefined if it is about the open request. */
function findEarlierDecision(
  { open, decisions }: Dialogue,
  kind: 'plan' | 'scope',
  request: string | undefined,
  decision: PlanDecision | ScopeDecision,
): ValidatedMessage<never> | undefined {
  const isOpen = open?.kind === kind
  if (isOpen && open.request === request) return undefined
  const before = request === undefined ? findLastDecision(decisions, kind) : decisions[`${kind}/${request}`]
  const isSame = before === decisionFingerprint(decision)
  if (request === undefined && isOpen) {
    // An edit opens another request, so the same edit twice counts once. Any other decision is about the open request.
    return isSame && decision.decision === 'edit' ? repeatedDecision() : undefined
  }
  if (isSame) return repeatedDecision()
  const what = request === undefined ? `the ${kind}` : `"${request}"`
  if (before === 'deadline') return refuse(`nobody decided about ${what} in time`)
  if (before !== undefined) return refuse(`${what} was decided already, differently`)
  if (request === undefined) return undefined
  return refuse(`${what} is not what is open now${isOpen ? `: that is "${open.request}"` : ''}`)
}

/** Recognises a repeated decision: a short one by its text, a long one by its beginning and a hash, to keep the state small. */
export function decisionFingerprint(decision: PlanDecision | ScopeDecision): string {
  const words = JSON.stringify(decision)
  if (words.length <= MAX_FINGERPRINT_LENGTH) return words
  // A workflow has no node:crypto, and this hash is enough against accidents.
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (let at = 0; at < words.length; at += 1) {
    const unit = words.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b)
  }
  return `${words.slice(0, MAX_FINGERPRINT_LENGTH)}… ${words.length} ${one >>> 0} ${other >>> 0}`
}

const MAX_FINGERPRINT_LENGTH = 200

function repeatedDecision(): { readonly kind: 'repeated'; readonly response: string } {
  return { kind: 'repeated', response: 'it was decided so already' }
}

function findLastDecision(decided: Dialogue['decisions'], kind: OpenRequest['kind']): string | undefined {
  return Object.entries(decided).findLast(([name]) => name.startsWith(`${kind}/`))?.[1]
}

function refuse(reason: string): { readonly kind: 'refused'; readonly reason: string } {
  return { kind: 'refused', reason }
}

function truncateAnswer(text: string): string {
  return truncateText(text, 60)
}
