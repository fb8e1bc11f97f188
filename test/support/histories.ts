// What a session cost in Temporal, read from its history: activities, events and bytes, for each call of the fixer (which is a batch's
// iteration) and for the whole.
import type { History } from './session.ts'

type HistoryEvent = NonNullable<History['events']>[number]

export interface Segment {
  readonly summary: string
  activities: number
  events: number
}

/** From each call of the fixer up to the next one, the next run or the end of the session. */
export function segmentsOf(histories: readonly History[]): Segment[] {
  const segments: Segment[] = []
  let current: Segment | undefined
  for (const event of histories.flatMap(({ events }) => events ?? [])) {
    const activity = event.activityTaskScheduledEventAttributes?.activityType?.name
    if (activity === 'fixBatch') {
      current = { summary: summaryOf(event), activities: 0, events: 0 }
      segments.push(current)
    }
    if (activity === 'closeSession') return segments
    if (event.workflowExecutionContinuedAsNewEventAttributes) current = undefined
    if (!current) continue
    current.events += 1
    if (activity) current.activities += 1
  }
  return segments
}

/** The summaries of the activities, in the order in which they were scheduled. */
export function activitySummaries(histories: readonly History[]): string[] {
  return histories
    .flatMap(({ events }) => events ?? [])
    .filter((event) => event.activityTaskScheduledEventAttributes)
    .map(summaryOf)
}

function summaryOf({ userMetadata }: HistoryEvent): string {
  const data = userMetadata?.summary?.data
  return data ? String(JSON.parse(Buffer.from(data).toString())) : ''
}

/** The biggest payload anywhere in the histories, in bytes. */
export function biggestPayload(histories: readonly History[]): number {
  let biggest = 0
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { data, metadata } = value as { data?: unknown; metadata?: unknown }
    if (data instanceof Uint8Array && metadata !== undefined) biggest = Math.max(biggest, data.byteLength)
    else for (const each of Object.values(value)) visit(each)
  }
  visit(histories.map(({ events }) => events ?? []))
  return biggest
}
