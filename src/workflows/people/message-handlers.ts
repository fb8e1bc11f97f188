// Where people's messages come in: as signals, which anyone can send and which the server keeps while no worker is up, and as
// updates of the same names, which answer. A handler only weighs a message and puts down what follows from it; the session's own
// course takes it up. Whatever is said is written down beside it, also what changes nothing.
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow'
import { MESSAGE_NAMES, type MessageName, type MessageOf, readMessage } from '../../domain/people/message-schemas.ts'
import {
  type Decided,
  type Dialogue,
  markOf,
  NOBODY_ASKED,
  type OpenRequest,
  type PlanDecision,
  type ScopeDecision,
  unanswered,
  type Weighed,
  weighAnswers,
  weighPlan,
  weighScope,
} from '../../domain/people/validate-messages.ts'
import type { Said } from '../../domain/protocol/index.ts'

/** How a request came to its end. */
export type Settled =
  | { readonly kind: 'answered' | 'skipped'; readonly decided: Decided }
  | { readonly kind: 'plan'; readonly decision: PlanDecision; readonly decided: Decided }
  | { readonly kind: 'scope'; readonly decision: ScopeDecision; readonly decided: Decided }
  | { readonly kind: 'deadline'; readonly decided: Decided }

export interface Cancelled extends Decided {
  readonly reason?: string | undefined
}

/** What survives a continue-as-new. */
export interface DeskState {
  readonly dialogue: Dialogue
  /** How many messages came so far. */
  readonly heard: number
}

export interface UpdateAnswer {
  readonly outcome: 'taken' | 'repeated'
  readonly says: string
}

interface DeskPorts {
  readonly write: (said: readonly Said[]) => Promise<void>
  readonly onCancel: () => void
}

/** More than a session ever hears in earnest: what comes after is still weighed, and not written down. */
const MOST_HEARD = 1000
const WRITTEN_AT_ONCE = 50
/** Of what is answered to a message, and written down of it: the ids of all questions of a round fit. */
const MOST_OF_WORDS = 2000

export type Desk = ReturnType<typeof openDesk>

/** Registers the handlers, so it has to be opened before the workflow waits for anything. */
export function openDesk(carried: DeskState | undefined, { write, onCancel }: DeskPorts) {
  let dialogue = carried?.dialogue ?? NOBODY_ASKED
  let heard = carried?.heard ?? 0
  let settled: Settled | undefined
  let cancelled: Cancelled | undefined
  let closing = false
  let isWriting = false
  const unwritten: Said[] = []

  for (const name of MESSAGE_NAMES) {
    setHandler(defineSignal<[unknown]>(name), (input: unknown) => {
      const message = parse(name, input)
      receive(name, message, weigh(message), 'a signal')
    })
    setHandler(
      defineUpdate<UpdateAnswer, [unknown]>(name),
      (input: unknown) => {
        const message = parse(name, input)
        const weighed = orRefuse(weigh(message))
        receive(name, message, weighed, 'an update')
        return { outcome: weighed.kind, says: weighed.says }
      },
      { validator: (input: unknown) => void orRefuse(weigh(parse(name, input))) },
    )
  }
  setDefaultSignalHandler((name) => {
    const known = MESSAGE_NAMES.join(', ')
    const decided: Decided = { by: UNNAMED, from: 'a signal', at: Date.now() }
    hear(
      name.slice(0, 100),
      { kind: 'refused', reason: `there is no signal of that name: there are ${known}` },
      decided,
    )
  })
  const writing = CancellationScope.nonCancellable(writeDown)

  return {
    state: (): DeskState => ({ dialogue, heard }),
    dialogue: () => dialogue,
    cancelled: () => cancelled,
    /** From now on it can be answered. */
    open(request: OpenRequest): void {
      settled = undefined
      dialogue = { ...dialogue, open: request }
    },
    /** Answers that need not be asked for. */
    remember(answered: Dialogue['answered']): void {
      dialogue = { ...dialogue, answered: [...dialogue.answered, ...answered] }
    },
    /** Returns when what is open has been answered, or its time is over. */
    async settled(until: number): Promise<Settled> {
      await condition(() => settled !== undefined, Math.max(until - Date.now(), 1))
      if (settled) return settled
      const decided: Decided = { by: 'nobody', from: 'the deadline', at: Date.now() }
      settle({ kind: 'deadline', decided }, 'deadline')
      return { kind: 'deadline', decided }
    },
    /** Nothing is open or decided any more; all that was said is on record when this returns. */
    async close(): Promise<void> {
      closing = true
      dialogue = { ...dialogue, open: undefined }
      await writing
    },
    /** Before this run ends: also what came while the session was being closed, or just before it goes on in another run. */
    async rest(): Promise<void> {
      if (closing) await writeDown()
      await condition(() => allHandlersFinished() && unwritten.length === 0 && !isWriting)
    },
  }

  function receive(name: MessageName, message: Parsed, weighed: Weighed<Act>, way: string): void {
    const { by = UNNAMED, from = way } = message.kind === 'read' ? message.said.message : {}
    const decided: Decided = { by, from, at: Date.now() }
    hear(name, weighed, { ...decided, ...answeredBy(message, weighed) })
    if (weighed.kind === 'taken') weighed.change(decided)
  }

  /** Changes nothing yet: what is to be done is in what it answers. */
  function weigh(parsed: Parsed): Weighed<Act> {
    return inFewWords(judge(parsed))
  }

  function judge(parsed: Parsed): Weighed<Act> {
    if (parsed.kind === 'refused') return parsed
    if (closing) return { kind: 'refused', reason: 'the session is at its end' }
    const { said } = parsed
    if (cancelled && said.name !== 'cancel') return { kind: 'refused', reason: `it was cancelled by ${cancelled.by}` }
    switch (said.name) {
      case 'answerClarification':
        return then(weighAnswers(dialogue, said.message), ({ answers, skip }, decided) => {
          const fresh = answers.map(({ question, answer }) => ({ ...question, answer, ...decided }))
          dialogue = { ...dialogue, answered: [...dialogue.answered, ...fresh] }
          if (unanswered(dialogue).length === 0) settle({ kind: 'answered', decided }, 'answered')
          else if (skip) settle({ kind: 'skipped', decided }, 'skipped')
        })
      case 'decidePlan':
        return then(weighPlan(dialogue, said.message), (decision, decided) =>
          settle({ kind: 'plan', decision, decided }, markOf(decision)),
        )
      case 'decideScope':
        return then(weighScope(dialogue, said.message), (decision, decided) =>
          settle({ kind: 'scope', decision, decided }, markOf(decision)),
        )
      case 'cancel':
        if (cancelled) return { kind: 'repeated', says: `it is being cancelled already, by ${cancelled.by}` }
        return {
          kind: 'taken',
          says: 'it is being cancelled',
          change: (decided) => {
            cancelled = { ...decided, reason: said.message.reason }
            onCancel()
          },
        }
    }
  }

  function settle(how: Settled, decision: string): void {
    const { open, decided } = dialogue
    if (!open) return
    settled = how
    dialogue = { ...dialogue, open: undefined, decided: { ...decided, [`${open.kind}/${open.request}`]: decision } }
  }

  function hear(name: string, weighed: Weighed<unknown>, decided: Decided & Pick<Said, 'about'>): void {
    heard += 1
    if (heard > MOST_HEARD) return
    const words = weighed.kind === 'refused' ? weighed.reason : weighed.says
    const says = heard < MOST_HEARD ? words : `${words} · from here on nothing more is written down: there was too much`
    unwritten.push({ key: `said/${heard}`, name, outcome: weighed.kind, says, ...decided })
  }

  async function writeDown(): Promise<void> {
    for (;;) {
      await condition(() => unwritten.length > 0 || closing)
      if (unwritten.length === 0) return
      const batch = unwritten.splice(0, WRITTEN_AT_ONCE)
      isWriting = true
      try {
        await write(batch)
      } catch (error) {
        // The log of what was said is not worth a session; Temporal's own history has it, too.
        if (!(error instanceof ActivityFailure)) throw error
      }
      isWriting = false
    }
  }
}

type Message = { [Name in MessageName]: { readonly name: Name; readonly message: MessageOf<Name> } }[MessageName]

type Parsed = { readonly kind: 'read'; readonly said: Message } | Refused
type Refused = { readonly kind: 'refused'; readonly reason: string }
type Act = (decided: Decided) => void

const UNNAMED = 'somebody'

function parse(name: MessageName, input: unknown): Parsed {
  const read = readMessage(name, input)
  if (read.kind === 'read') return { kind: 'read', said: { name, message: read.message } as Message }
  return { kind: 'refused', reason: `it can't be understood: ${read.reason}` }
}

function answeredBy(message: Parsed, { kind }: Weighed<Act>): Pick<Said, 'about'> {
  const isAnswer = kind === 'taken' && message.kind === 'read' && message.said.name === 'answerClarification'
  return isAnswer ? { about: Object.keys(message.said.message.answers) } : {}
}

function then<T>(weighed: Weighed<T>, act: (change: T, decided: Decided) => void): Weighed<Act> {
  return weighed.kind === 'taken' ? { ...weighed, change: (decided) => act(weighed.change, decided) } : weighed
}

function inFewWords<T>(weighed: Weighed<T>): Weighed<T> {
  if (weighed.kind === 'refused') return { ...weighed, reason: weighed.reason.slice(0, MOST_OF_WORDS) }
  return { ...weighed, says: weighed.says.slice(0, MOST_OF_WORDS) }
}

/** For an update, whose sender hears why. */
function orRefuse(weighed: Weighed<Act>): Exclude<Weighed<Act>, Refused> {
  if (weighed.kind !== 'refused') return weighed
  throw ApplicationFailure.create({ type: 'Refused', message: weighed.reason, nonRetryable: true })
}
