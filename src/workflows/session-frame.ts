// What every kind of session is as a workflow: it gets its session from the input, hears people, shows itself, and ends through
// `closeSession`, so that it always says why it ended. The kinds say what they do, and what is seen of it.
import { CancellationScope, condition, defineQuery, defineSignal, setHandler } from '@temporalio/workflow'
import type {
  CloseInput,
  Ending,
  HostedSession,
  JoinedSummary,
  SessionSummary,
  SessionView,
} from '../domain/workflow-types/index.ts'
import { SESSION_QUERY, TROUBLE_SIGNAL } from '../domain/workflow-types/temporal-names.ts'
import { explainEnding, truncateReason } from './explain-ending.ts'
import { type MessageHandlers, registerMessageHandlers } from './people/message-handlers.ts'
import { createSessionClock, type SessionClock } from './people/session-clock.ts'
import { receiveOrder, toStoredSession } from './receive-order.ts'
import { proxyClosingActivities, proxyHomeActivities } from './temporal/session-activities.ts'
import type { MutableView } from './temporal/show-session-details.ts'
import { upsertKnownAttributes } from './temporal/upsert-search-attributes.ts'

type Attributes = Readonly<Record<string, string | number | null>>

/** What one kind of session shows. It is asked at any time. */
interface SessionKindView {
  /** The session as it is open on its host; undefined before. */
  hosted(): HostedSession | undefined
  view(messages: MessageHandlers): Omit<SessionView, 'sessionId' | 'phase' | 'waiting' | 'stage'>
  /** Writes the details that Temporal's UI shows. */
  showDetails(view: SessionView, shown: MutableView): void
}

/** What one kind of session adds to its end. */
interface SessionEnd {
  readonly record: Omit<CloseInput, 'sessionId' | 'ending' | 'by' | 'at'>
  /** Replaces the attributes that a wait leaves behind when it is cut short. */
  readonly afterCutWait?: Attributes | undefined
  readonly attributes?: Attributes
}

export interface SessionFrame {
  /** Empty until the session is received. */
  readonly sessionId: string
  readonly homeQueue: string | undefined
  readonly messages: MessageHandlers
  readonly time: SessionClock
  readonly isCancelled: () => boolean
  show(change: Partial<MutableView>): void
  /** Has an order made into a session. Returns the answer if there is nothing to do for this workflow. */
  receive(): Promise<SessionSummary | JoinedSummary | undefined>
  /** Does the work, which people may cancel, and returns why it ended early. */
  run(work: () => Promise<Ending | undefined>): Promise<Ending | undefined>
  close(ending: Ending | undefined, end: SessionEnd): Promise<SessionSummary>
}

export function createSessionFrame(input: unknown, kind: SessionKindView): SessionFrame {
  const stored = toStoredSession(input)
  const carried = stored?.carried
  let sessionId = stored?.sessionId ?? ''
  let homeQueue = stored?.homeQueue
  const shown: MutableView = { phase: 'opening', stage: (carried?.nextStage ?? 0) + 1 }
  const scope = new CancellationScope({ cancellable: true })
  const messages = registerMessageHandlers(carried?.messages, {
    write: async (unwritten) => {
      await condition(() => sessionId !== '')
      const record = proxyHomeActivities(homeQueue, 'write down what was said')
      await record.recordMessages({ sessionId, messages: unwritten })
    },
    onCancel: () => scope.cancel(),
    senderKey: () => kind.hosted()?.senderKey,
    fourEyes: () => kind.hosted()?.fourEyes,
  })
  const time = createSessionClock(() => kind.hosted()?.endsAt, carried?.waitedForPeopleMs)
  const view = (): SessionView => {
    const { phase, stage, waiting } = shown
    return { sessionId, phase, stage, waiting, ...kind.view(messages) }
  }
  setHandler(defineQuery<SessionView>(SESSION_QUERY), view)
  setHandler(defineSignal<[unknown]>(TROUBLE_SIGNAL), (text) => show({ trouble: truncateReason(String(text)) }))
  return {
    get sessionId() {
      return sessionId
    },
    get homeQueue() {
      return homeQueue
    },
    ...{ messages, time, show, receive, run, close },
    isCancelled: () => scope.consideredCancelled,
  }

  function show(change: Partial<MutableView>): void {
    Object.assign(shown, { trouble: undefined }, change)
    kind.showDetails(view(), shown)
  }

  async function receive(): Promise<SessionSummary | JoinedSummary | undefined> {
    if (stored) return undefined
    const received = await receiveOrder(input, show)
    if (received.kind === 'answered') return received.summary
    ;({ sessionId, homeQueue } = received)
    return undefined
  }

  async function run(work: () => Promise<Ending | undefined>): Promise<Ending | undefined> {
    try {
      return await scope.run(work)
    } catch (error) {
      return explainEnding(error, scope, messages.cancelled())
    }
  }

  async function close(ending: Ending | undefined, end: SessionEnd): Promise<SessionSummary> {
    return await CancellationScope.nonCancellable(async () => {
      const host = kind.hosted()
      if (host && shown.waiting && end.afterCutWait) upsertKnownAttributes(host.attributes, end.afterCutWait)
      show({ phase: 'closing', waiting: undefined })
      // All messages go on record first: nothing comes after a session's last event.
      await messages.close()
      const closing = proxyClosingActivities(host, homeQueue)
      const summary = await closing.closeSession({
        ...{ sessionId, ending, by: messages.cancelled(), at: Date.now() },
        ...end.record,
      })
      await messages.rest()
      if (host) {
        upsertKnownAttributes(host.attributes, { FixStatus: summary.status, FixAwaiting: null, ...end.attributes })
      }
      show({ phase: summary.status })
      return summary
    })
  }
}
