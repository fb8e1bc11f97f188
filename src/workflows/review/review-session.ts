// A review as a workflow: open a clone at the pinned commit, have the change reviewed, have each finding verified, conclude, close. It
// ends as every session does, through `closeSession`.
import { CancellationScope, condition, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { ReviewSummary } from '../../domain/review/review-record.ts'
import type {
  Ending,
  JoinedSummary,
  OpenedReview,
  SessionSummary,
  SessionView,
} from '../../domain/workflow-types/index.ts'
import { TROUBLE_SIGNAL } from '../../domain/workflow-types/temporal-names.ts'
import { explainEnding, truncateReason } from '../explain-ending.ts'
import { sessionQuery } from '../fix-session.ts'
import { registerMessageHandlers } from '../people/message-handlers.ts'
import { createSessionClock } from '../people/session-clock.ts'
import { receiveOrder, toStoredSession } from '../receive-order.ts'
import { type MutableView, upsertKnownAttributes } from '../temporal/search-attributes-and-details.ts'
import { proxyClosingActivities, proxyHomeActivities } from '../temporal/session-activities.ts'
import { runReview } from './run-review.ts'

/** Anybody may start it with anything; the input should be a stored session or an order. */
export async function reviewSession(input: unknown): Promise<SessionSummary | JoinedSummary> {
  const stored = toStoredSession(input)
  let sessionId = stored?.sessionId ?? ''
  let homeQueue = stored?.homeQueue
  const shown: MutableView = { phase: 'opening', stage: 1 }
  const work = new CancellationScope({ cancellable: true })
  let opened: OpenedReview | undefined
  let summary: ReviewSummary | undefined
  const messages = registerMessageHandlers(undefined, {
    write: async (batch) => {
      await condition(() => sessionId !== '')
      await proxyHomeActivities(homeQueue, 'write down what was said').recordMessages({ sessionId, messages: batch })
    },
    onCancel: () => work.cancel(),
    senderKey: () => opened?.senderKey,
    fourEyes: () => undefined,
  })
  const time = createSessionClock(() => opened?.endsAt)
  const view = (): SessionView => ({
    ...{ sessionId, phase: shown.phase, stage: 1, stages: 1, waiting: shown.waiting },
    ...{ open: undefined, answered: [], outcomes: {}, commits: [] },
  })
  setHandler(sessionQuery, view)
  const show = (change: Partial<MutableView>): void => {
    Object.assign(shown, { trouble: undefined }, change)
    setCurrentDetails(describeReview(shown, opened, summary))
  }
  setHandler(defineSignal<[unknown]>(TROUBLE_SIGNAL), (text) => show({ trouble: truncateReason(String(text)) }))

  if (!stored) {
    const received = await receiveOrder(input, show)
    if (received.kind === 'answered') return received.summary
    ;({ sessionId, homeQueue } = received)
  }
  let ending: Ending | undefined
  try {
    ending = await work.run(async () => {
      opened = await proxyHomeActivities(homeQueue, `open ${sessionId}`).openReview({ sessionId })
      upsertKnownAttributes(opened.attributes, { FixStatus: 'analyzing' })
      const reviewed = await runReview({ sessionId, opened, messages, time, show })
      if (reviewed.kind === 'failed') return reviewed.ending
      summary = reviewed.summary
      return undefined
    })
  } catch (error) {
    ending = explainEnding(error, work, messages.cancelled())
  }
  return await CancellationScope.nonCancellable(() => close(ending))

  async function close(end: Ending | undefined): Promise<SessionSummary> {
    if (opened && shown.waiting) upsertKnownAttributes(opened.attributes, { FixAwaiting: null })
    show({ phase: 'closing', waiting: undefined })
    // All messages go on record first: nothing comes after a session's last event.
    await messages.close()
    const closed = await proxyClosingActivities(opened, homeQueue).closeSession({
      sessionId,
      outcomes: {},
      ending: end,
      review: summary,
      by: messages.cancelled(),
      at: Date.now(),
    })
    await messages.rest()
    if (opened) upsertKnownAttributes(opened.attributes, { FixStatus: closed.status, FixAwaiting: null })
    show({ phase: closed.status })
    return closed
  }
}

function describeReview(
  shown: MutableView,
  opened: OpenedReview | undefined,
  summary: ReviewSummary | undefined,
): string {
  const { waiting, trouble, phase } = shown
  const lines = [
    `**${phase}**`,
    ...(opened
      ? [
          `${opened.files} changed file(s), \`${opened.base.slice(0, 10)}\` to \`${opened.head.slice(0, 10)}\`, in \`${opened.repository}\``,
          `Experts: ${opened.experts.join(', ')}`,
        ]
      : []),
    ...(waiting ? [`Waits for ${waiting.for}`] : []),
    ...(trouble === undefined ? [] : [`**Trouble**: ${trouble}`]),
    ...(summary
      ? [
          `${summary.confirmed} confirmed, ${summary.refuted} refuted, ${summary.unverified} unverified, ${summary.merged} merged`,
        ]
      : []),
  ]
  return lines.join('\n\n')
}
