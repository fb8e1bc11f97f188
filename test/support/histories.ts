// What a session cost in Temporal, read from its history: activities, events and bytes, for each call of the fixer (which is a batch's
// iteration) and for the whole. And the histories that are kept to be replayed.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { E2eStage, History } from './session.ts'

const FOLDER = join(import.meta.dirname, '..', 'histories')

export interface KeptHistory {
  readonly name: string
  readonly history: { readonly events: readonly Record<string, unknown>[] }
}

export function keptHistories(): KeptHistory[] {
  const files = globSync('*.json', { cwd: FOLDER }).sort()
  return files.map((name) => ({ name, history: JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) }))
}

/** Writes what is not there yet, and only where it was asked for: a history that is kept is never replaced by a test. */
export async function keepHistories(stage: E2eStage, scenario: string): Promise<void> {
  if (!process.env.FIXWRIGHT_RECORD_HISTORIES) return
  const sessions = await stage.sessions()
  const ordered = sessions.toSorted((a, b) => a.started_at.localeCompare(b.started_at))
  for (const [at, { session_id }] of ordered.entries()) {
    for (const [run, history] of (await stage.histories(session_id)).entries()) {
      const parts = [scenario, ...(at > 0 ? [`session-${at + 1}`] : []), ...(run > 0 ? [`run-${run + 1}`] : [])]
      writeHistory(parts.join('.'), history)
    }
  }
}

/** The same for a workflow that is no session, by default its last run. */
export async function keepWorkflowHistory(
  stage: E2eStage,
  workflowId: string,
  name: string,
  runId?: string,
): Promise<void> {
  if (!process.env.FIXWRIGHT_RECORD_HISTORIES) return
  writeHistory(name, await (await stage.client()).workflow.getHandle(workflowId, runId).fetchHistory())
}

function writeHistory(name: string, history: History): void {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.json`)
  const events = JSON.parse(historyToJSON(history)).events as unknown[]
  const lines = events.map((event) => JSON.stringify(event)).join(',\n')
  if (!existsSync(file)) writeFileSync(file, `{"events":[\n${lines}\n]}\n`)
}

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

/** The different start-to-close timeouts of an activity, in seconds. */
export function startToCloseSeconds(histories: readonly History[], activityType: string): number[] {
  const scheduled = histories
    .flatMap(({ events }) => events ?? [])
    .map((event) => event.activityTaskScheduledEventAttributes)
  const own = scheduled.filter((each) => each?.activityType?.name === activityType)
  return [...new Set(own.map((each) => Number(each?.startToCloseTimeout?.seconds)))]
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
