// `fixwright logs SESSION [ISSUE]`: the events, then the messages, then every agent call with the places of its prompt,
// reply and transcript, then the other artifacts. It only reads the store.

import type { AppContext } from '../../app/context.ts'
import { calculateSpending, formatCost } from '../../app/format-values.ts'
import { locateArtifact, readArtifactOrReason } from '../../app/session/read-artifact.ts'
import { readLogs, type SessionLogs } from '../../app/session/read-logs.ts'
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AgentCallRecord, MessageRecord, SessionArtifact } from '../../domain/session/store-records.ts'
import { resolveSession } from '../session/resolve-session.ts'
import { withApp } from '../session/with-app.ts'
import { eventFormatter, formatDateTime, paint, printJson, printNotice } from '../terminal/console.ts'
import { printPaged } from '../terminal/pager.ts'
import { sanitizeForTty, sanitizeLine } from '../terminal/sanitize.ts'
import { formatTable } from '../terminal/table.ts'

export interface LogsOptions {
  readonly issue?: string | undefined
  /** Shows each call's prompt and reply instead of the events. */
  readonly prompts: boolean
  /** Shows everything the CLIs printed. */
  readonly raw: boolean
  /** Shows each issue's change, as git takes it. */
  readonly diff: boolean
  readonly json: boolean
}

export async function runLogsCommand(
  typed: string | undefined,
  { issue, prompts, raw, diff, json }: LogsOptions,
): Promise<number> {
  return withApp(async (app) => {
    const session = await resolveSession(app, typed)
    const logs = await readLogs(app, session.session_id, issue)
    const place: ResolvePath = (ref) => locateArtifact(app, ref)
    if (diff) await printDiffs(app, session, issue)
    else if (json) printJson(toJsonLogs(logs, place))
    else if (prompts || raw) {
      const text: LoadText = async (ref) => sanitizeForTty(await readArtifactOrReason(app, ref))
      const texts: string[] = []
      for (const call of logs.calls) texts.push(await formatCallTexts(call, text, raw))
      await printPaged(texts.join('\n'))
    } else {
      const { events, messages, calls, artifacts } = logs
      const parts = [formatEvents(events), formatMessages(messages), formatArtifactPaths(calls, artifacts, place)]
      await printPaged(parts.flat().join('\n'))
    }
    return 0
  })
}

type ResolvePath = (ref: string) => string
type LoadText = (ref: string) => Promise<string>

async function printDiffs(app: AppContext, session: SessionRecord, issue: string | undefined): Promise<void> {
  const { listIssueDiffs } = await import('../../app/report/build-report.ts')
  const diffs = await listIssueDiffs(app, session, issue)
  // Issues that share files have the same diff.
  const texts = new Set(diffs.map(({ text }) => sanitizeForTty(text).replace(/\n$/, '')))
  if (texts.size > 0) process.stdout.write(`${[...texts].join('\n')}\n`)
  if (diffs.some(({ is_cut }) => is_cut))
    printNotice('a diff is cut: without --diff, logs names the files that hold all of it')
}

/** The logs with the places of artifacts instead of their references. */
function toJsonLogs({ events, messages, calls, artifacts }: SessionLogs, place: ResolvePath): object {
  const placeOrNull = (ref: string | undefined) => (ref === undefined ? null : place(ref))
  return {
    events,
    messages,
    calls: calls.map(({ session_id: _, marker: __, result: ___, prompt_ref, reply_ref, transcript_ref, ...call }) => ({
      ...call,
      prompt: placeOrNull(prompt_ref),
      reply: placeOrNull(reply_ref),
      transcript: placeOrNull(transcript_ref),
    })),
    artifacts: artifacts.map(({ kind, name, ref }) => ({ kind, name, path: place(ref) })),
  }
}

function formatEvents(events: readonly SessionEvent[]): string[] {
  const formatEvent = eventFormatter(process.stdout)
  return events.flatMap((event) => formatEvent(event) ?? [])
}

/** Includes messages that came after the last event and those that were refused. */
function formatMessages(messages: readonly MessageRecord[]): string[] {
  if (messages.length === 0) return []
  const rows = messages.map(({ at, name, outcome, response, by, from }) => [
    formatDateTime(at),
    paint(outcome === 'refused' ? 'yellow' : 'dim', outcome, process.stdout),
    sanitizeLine(name),
    `${sanitizeLine(by)} (${sanitizeLine(from)}): ${sanitizeLine(response)}`,
  ])
  return [`\n${paint('bold', 'said', process.stdout)}`, formatTable(rows, '  ')]
}

function formatArtifactPaths(
  calls: readonly AgentCallRecord[],
  artifacts: readonly SessionArtifact[],
  place: ResolvePath,
): string[] {
  const lines = calls.flatMap((call) => {
    const places: [string, string | undefined][] = [
      ['prompt', call.prompt_ref],
      ['reply', call.reply_ref],
      ['transcript', call.transcript_ref],
    ]
    return [
      `\n${paint('bold', `call ${summarizeCall(call)}`, process.stdout)}`,
      ...places.flatMap(([name, ref]) => (ref === undefined ? [] : [`  ${name.padEnd(10)}  ${place(ref)}`])),
    ]
  })
  if (artifacts.length === 0) return lines
  const width = Math.max(...artifacts.map(({ name }) => name.length))
  const rows = artifacts.map(({ kind, name, ref }) => `  ${kind.padEnd(12)}  ${name.padEnd(width)}  ${place(ref)}`)
  return [...lines, `\n${paint('bold', 'artifacts', process.stdout)}`, ...rows]
}

function summarizeCall(call: AgentCallRecord): string {
  const { key, attempt, role, model, state, duration_ms } = call
  const parts = [
    `${key} · ${role}`,
    model,
    attempt > 1 ? `attempt ${attempt}` : undefined,
    state === 'finished' ? undefined : state,
    duration_ms === undefined ? undefined : `${(duration_ms / 1000).toFixed(1)} s`,
    state === 'started' ? undefined : formatCost(calculateSpending([call])),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

async function formatCallTexts(call: AgentCallRecord, text: LoadText, raw: boolean): Promise<string> {
  const parts = raw
    ? [['transcript', call.transcript_ref]]
    : [
        ['prompt', call.prompt_ref],
        ['reply', call.reply_ref],
      ]
  const blocks: string[] = []
  for (const [name, ref] of parts) {
    blocks.push(`${paint('bold', `== ${name} of ${summarizeCall(call)}`, process.stdout)}`)
    blocks.push(ref === undefined ? '(none)' : await text(ref))
  }
  return `${blocks.join('\n')}\n`
}
