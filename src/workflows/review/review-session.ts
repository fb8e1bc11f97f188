// A review as a workflow: open a clone at the pinned commit, have the change reviewed, have each finding verified, conclude, close. It
// ends as every session does, through `closeSession`.
import { setCurrentDetails } from '@temporalio/workflow'
import type { ReviewSummary } from '../../domain/review/review-record.ts'
import type { JoinedSummary, OpenedReview, SessionSummary } from '../../domain/workflow-types/index.ts'
import { createSessionFrame } from '../session-frame.ts'
import { proxyHomeActivities } from '../temporal/session-activities.ts'
import type { MutableView } from '../temporal/show-session-details.ts'
import { upsertKnownAttributes } from '../temporal/upsert-search-attributes.ts'
import { runReview } from './run-review.ts'

/** Anybody may start it with anything; the input should be a stored session or an order. */
export async function reviewSession(input: unknown): Promise<SessionSummary | JoinedSummary> {
  let opened: OpenedReview | undefined
  let summary: ReviewSummary | undefined
  const frame = createSessionFrame(input, {
    hosted: () => opened,
    view: () => ({ stages: 1, open: undefined, answered: [], outcomes: {}, commits: [] }),
    showDetails: (_, shown) => setCurrentDetails(describeReview(shown, opened, summary)),
  })
  const answered = await frame.receive()
  if (answered) return answered
  const { sessionId, homeQueue, messages, time, show } = frame
  const ending = await frame.run(async () => {
    opened = await proxyHomeActivities(homeQueue, `open ${sessionId}`).openReview({ sessionId })
    upsertKnownAttributes(opened.attributes, { FixStatus: 'analyzing' })
    const reviewed = await runReview({ sessionId, opened, messages, time, show })
    if (reviewed.kind === 'failed') return reviewed.ending
    summary = reviewed.summary
    return undefined
  })
  return await frame.close(ending, {
    record: { outcomes: {}, review: summary },
    afterCutWait: { FixAwaiting: null },
  })
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
