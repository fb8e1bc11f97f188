// People's messages come in as signals, which anyone can send and the server keeps while no worker is up, and as updates of the same
// names, which reply. A handler validates and records every message; the session itself acts on it.
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  defineUpdate,
  patched,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { MessageRefusal } from '../../domain/errors/error-codes.ts'
import { type FourEyes, findSelfApproval } from '../../domain/people/check-approver.ts'
import { MESSAGE_NAMES, type MessageName, type MessageOf, parseMessage } from '../../domain/people/message-schemas.ts'
import { formatClaim } from '../../domain/people/sender-seal.ts'
import {
  type DecisionSource,
  type Dialogue,
  EMPTY_DIALOGUE,
  listUnanswered,
  type OpenRequest,
  type PlanDecision,
  type ScopeDecision,
  summarizeDecision,
  type ValidatedMessage,
  validateAnswers,
  validatePlanDecision,
  validateScopeDecision,
} from '../../domain/people/validate-messages.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { MessageRecord } from '../../domain/workflow-types/index.ts'
import { isSealed } from './check-sender.ts'

export type RequestResolution =
  | { readonly kind: 'answered' | 'skipped'; readonly decided: DecisionSource }
  | { readonly kind: 'plan'; readonly decision: PlanDecision; readonly decided: DecisionSource }
  | { readonly kind: 'scope'; readonly decision: ScopeDecision; readonly decided: DecisionSource }
  | { readonly kind: 'deadline'; readonly decided: DecisionSource }

export interface Cancellation extends DecisionSource {
  readonly reason?: string | undefined
}

export interface Pause extends DecisionSource {
  /** 1-based place among the pauses of the session. */
  readonly number: number
  readonly reason?: string | undefined
}

/** The part that survives a continue-as-new. */
export interface ConversationState {
  readonly dialogue: Dialogue
  readonly messageCount: number
  readonly pauseCount?: number | undefined
  readonly paused?: Pause | undefined
  readonly sealedAt?: number | undefined
}

export interface MessageReply {
  readonly outcome: 'taken' | 'repeated'
  readonly response: string
}

interface MessagePorts {
  readonly write: (messages: readonly MessageRecord[]) => Promise<void>
  readonly onCancel: () => void
  readonly senderKey: () => string | undefined
  readonly fourEyes: () => FourEyes | undefined
}

/** More than a session gets in earnest. Later messages are still validated, but not recorded. */
const MAX_RECORDED_MESSAGES = 1000
const RECORD_BATCH_SIZE = 50
/** Characters of a response that are sent and recorded: the ids of all questions of a round fit. */
const MAX_RESPONSE_LENGTH = 2000

export type MessageHandlers = ReturnType<typeof registerMessageHandlers>

/** Must be called before the workflow waits for anything, because it registers the handlers. */
export function registerMessageHandlers(
  carried: ConversationState | undefined,
  { write, onCancel, senderKey, fourEyes }: MessagePorts,
) {
  let dialogue = carried?.dialogue ?? EMPTY_DIALOGUE
  let messageCount = carried?.messageCount ?? 0
  let resolution: RequestResolution | undefined
  let cancelled: Cancellation | undefined
  let pauseCount = carried?.pauseCount ?? 0
  let paused = carried?.paused
  let sealedAt = carried?.sealedAt ?? 0
  let closing = false
  let isWriting = false
  const unwritten: MessageRecord[] = []

  for (const name of MESSAGE_NAMES) {
    setHandler(defineSignal<[unknown]>(name), (input: unknown) => {
      const message = parseInput(name, input)
      receive(name, message, validateInput(message, input), nameSender(name, input, 'a signal'))
    })
    setHandler(
      defineUpdate<MessageReply, [unknown]>(name),
      (input: unknown) => {
        const message = parseInput(name, input)
        const validated = throwIfRefused(validateInput(message, input))
        receive(name, message, validated, nameSender(name, input, 'an update'))
        return { outcome: validated.kind, response: validated.response }
      },
      { validator: (input: unknown) => void throwIfRefused(validateInput(parseInput(name, input), input)) },
    )
  }
  setDefaultSignalHandler((name) => {
    const known = MESSAGE_NAMES.join(', ')
    const decided: DecisionSource = { by: UNNAMED, from: 'a signal', at: Date.now() }
    recordMessage(
      name.slice(0, 100),
      { kind: 'refused', code: 'message_invalid', reason: `there is no signal of that name: there are ${known}` },
      decided,
    )
  })
  const writing = CancellationScope.nonCancellable(writeDown)

  return {
    state: (): ConversationState => ({ dialogue, messageCount, pauseCount, paused, sealedAt }),
    dialogue: () => dialogue,
    cancelled: () => cancelled,
    paused: () => paused,
    waitForResume: async () => await condition(() => paused === undefined),
    /** Pauses the session by itself: a resume lets it go on. */
    pauseItself(from: string): Pause {
      pauseCount += 1
      paused = { by: 'the session', from, at: Date.now(), number: pauseCount }
      return paused
    },
    /** Returns false if nobody resumed it from this pause in time. A later pause is not this one's to end. */
    async waitForResumeUntil({ number }: Pause, until: number): Promise<boolean> {
      const knowsItsOwn = patched('resume-of-own-pause')
      const isOver = (): boolean => paused === undefined || (knowsItsOwn && paused.number !== number)
      const isResumed = await condition(isOver, Math.max(until - Date.now(), 1))
      if (!isOver() || !knowsItsOwn) paused = undefined
      return isResumed
    },
    open(request: OpenRequest): void {
      resolution = undefined
      dialogue = { ...dialogue, open: request }
    },
    /** Adds answers from earlier sessions, which need not be asked for again. */
    remember(answered: Dialogue['answered']): void {
      dialogue = { ...dialogue, answered: [...dialogue.answered, ...answered] }
    },
    /** Returns when the open request is resolved, or its time is over. */
    async waitForResolution(until: number): Promise<RequestResolution> {
      await condition(() => resolution !== undefined, Math.max(until - Date.now(), 1))
      if (resolution) return resolution
      const decided: DecisionSource = { by: 'nobody', from: 'the deadline', at: Date.now() }
      resolve({ kind: 'deadline', decided }, 'deadline')
      return { kind: 'deadline', decided }
    },
    /** Refuses everything from now on, and returns when all messages are on record. */
    async close(): Promise<void> {
      closing = true
      dialogue = { ...dialogue, open: undefined }
      await writing
    },
    /** Waits, before this run ends, until messages that came during the close or just before a continue-as-new are recorded too. */
    async rest(): Promise<void> {
      if (closing) await writeDown()
      await condition(() => allHandlersFinished() && unwritten.length === 0 && !isWriting)
    },
  }

  function receive(
    name: MessageName,
    message: ParsedInput,
    validated: ValidatedMessage<ApplyDecision>,
    decided: DecisionSource,
  ): void {
    recordMessage(name, validated, { ...decided, ...listAnsweredQuestions(message, validated) })
    if (validated.kind === 'taken') validated.change(decided)
  }

  /** What an unsealed message says of its sender is named as a claim, here, so that nothing later takes it for a fact. */
  function nameSender(name: MessageName, input: unknown, way: string): DecisionSource {
    const { by, from, seal, isChecked } = checkSender(name, input)
    if (isChecked && seal !== undefined) sealedAt = seal.at
    const show = isChecked ? (text: string): string => text : formatClaim
    return { by: by ? show(by) : UNNAMED, from: from ? show(from) : way, at: Date.now() }
  }

  function checkSender(name: MessageName, input: unknown) {
    const read = parseMessage(name, input)
    const { by, from, seal } = read.kind === 'read' ? read.message : {}
    const check = { workflowId: workflowInfo().workflowId, senderKey: senderKey(), notBefore: sealedAt }
    const isChecked = seal !== undefined && isSealed(name, input as object, seal, check)
    return { by, from, seal, isChecked }
  }

  /** Changes nothing yet: `change` in the result does. */
  function validateInput(parsed: ParsedInput, input: unknown): ValidatedMessage<ApplyDecision> {
    const validated = validateOpen(parsed)
    const wanted = fourEyes()
    const isApproval =
      wanted !== undefined && validated.kind === 'taken' && parsed.kind === 'read' && approves(parsed.input)
    const refusal = isApproval ? findSelfApproval(wanted, checkSender(parsed.input.name, input)) : undefined
    return truncateResponse(refusal ?? validated)
  }

  function validateOpen(parsed: ParsedInput): ValidatedMessage<ApplyDecision> {
    if (parsed.kind === 'refused') return parsed
    if (closing) return { kind: 'refused', code: 'session_ended', reason: 'the session is at its end' }
    const { input } = parsed
    if (cancelled && input.name !== 'cancel')
      return { kind: 'refused', code: 'session_ended', reason: `it was cancelled by ${cancelled.by}` }
    switch (input.name) {
      case 'answerClarification':
        return mapTaken(validateAnswers(dialogue, input.message), ({ answers, skip }, decided) => {
          const fresh = answers.map(({ question, answer }) => ({ ...question, answer, ...decided }))
          dialogue = { ...dialogue, answered: [...dialogue.answered, ...fresh] }
          if (listUnanswered(dialogue).length === 0) resolve({ kind: 'answered', decided }, 'answered')
          else if (skip) resolve({ kind: 'skipped', decided }, 'skipped')
        })
      case 'decidePlan':
        return mapTaken(validatePlanDecision(dialogue, input.message), (decision, decided) =>
          resolve({ kind: 'plan', decision, decided }, summarizeDecision(decision)),
        )
      case 'decideScope':
        return mapTaken(validateScopeDecision(dialogue, input.message), (decision, decided) =>
          resolve({ kind: 'scope', decision, decided }, summarizeDecision(decision)),
        )
      case 'cancel':
        if (cancelled) return { kind: 'repeated', response: `it is being cancelled already, by ${cancelled.by}` }
        return {
          kind: 'taken',
          response: 'it is being cancelled',
          change: (decided) => {
            cancelled = { ...decided, reason: input.message.reason }
            onCancel()
          },
        }
      case 'pause':
        if (paused) return { kind: 'repeated', response: `it is paused already, by ${paused.by}` }
        return {
          kind: 'taken',
          response: 'it is paused: the step under way ends, and none begins before it is resumed',
          change: (decided) => {
            pauseCount += 1
            paused = { ...decided, number: pauseCount, reason: input.message.reason }
          },
        }
      case 'resume':
        if (!paused) return { kind: 'repeated', response: 'it is not paused' }
        return {
          kind: 'taken',
          response: 'it goes on',
          change: () => {
            paused = undefined
          },
        }
    }
  }

  function resolve(how: RequestResolution, decision: string): void {
    const { open, decisions } = dialogue
    if (!open) return
    resolution = how
    dialogue = { ...dialogue, open: undefined, decisions: { ...decisions, [`${open.kind}/${open.request}`]: decision } }
  }

  function recordMessage(
    name: string,
    validated: ValidatedMessage<unknown>,
    decided: DecisionSource & Pick<MessageRecord, 'answered_question_ids'>,
  ): void {
    messageCount += 1
    if (messageCount > MAX_RECORDED_MESSAGES) return
    const words = validated.kind === 'refused' ? validated.reason : validated.response
    const response =
      messageCount < MAX_RECORDED_MESSAGES
        ? words
        : `${words} · from here on nothing more is written down: there was too much`
    unwritten.push({ key: `said/${messageCount}`, name, outcome: validated.kind, response, ...decided })
  }

  async function writeDown(): Promise<void> {
    for (;;) {
      await condition(() => unwritten.length > 0 || closing)
      if (unwritten.length === 0) return
      const batch = unwritten.splice(0, RECORD_BATCH_SIZE)
      isWriting = true
      try {
        await write(batch)
      } catch (error) {
        // The record of messages is not worth a session; Temporal's own history has them too.
        if (!(error instanceof ActivityFailure)) throw error
      }
      isWriting = false
    }
  }
}

type NamedMessage = { [Name in MessageName]: { readonly name: Name; readonly message: MessageOf<Name> } }[MessageName]

function approves({ name, message }: NamedMessage): boolean {
  return (name === 'decidePlan' || name === 'decideScope') && message.decision === 'approve'
}

type ParsedInput = { readonly kind: 'read'; readonly input: NamedMessage } | MessageRefusal
type ApplyDecision = (decided: DecisionSource) => void

const UNNAMED = 'somebody'

function parseInput(name: MessageName, input: unknown): ParsedInput {
  const read = parseMessage(name, input)
  if (read.kind === 'read') return { kind: 'read', input: { name, message: read.message } as NamedMessage }
  return { ...read, reason: `it can't be understood: ${read.reason}` }
}

function listAnsweredQuestions(
  message: ParsedInput,
  { kind }: ValidatedMessage<ApplyDecision>,
): Pick<MessageRecord, 'answered_question_ids'> {
  const isAnswer = kind === 'taken' && message.kind === 'read' && message.input.name === 'answerClarification'
  return isAnswer ? { answered_question_ids: Object.keys(message.input.message.answers) } : {}
}

function mapTaken<T>(
  validated: ValidatedMessage<T>,
  act: (change: T, decided: DecisionSource) => void,
): ValidatedMessage<ApplyDecision> {
  return validated.kind === 'taken' ? { ...validated, change: (decided) => act(validated.change, decided) } : validated
}

function truncateResponse<T>(validated: ValidatedMessage<T>): ValidatedMessage<T> {
  if (validated.kind === 'refused') return { ...validated, reason: truncateText(validated.reason, MAX_RESPONSE_LENGTH) }
  return { ...validated, response: truncateText(validated.response, MAX_RESPONSE_LENGTH) }
}

/** For an update, whose sender sees the reason and, as the failure's type, its code. */
function throwIfRefused(
  validated: ValidatedMessage<ApplyDecision>,
): Exclude<ValidatedMessage<ApplyDecision>, MessageRefusal> {
  if (validated.kind !== 'refused') return validated
  throw ApplicationFailure.create({ type: validated.code, message: validated.reason, nonRetryable: true })
}
