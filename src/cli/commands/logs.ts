// `fixwright logs SESSION [ISSUE]`: the events, then the messages, then every agent call with the places of its prompt,
// reply and transcript, then the other artifacts. It only reads the store.

import { calculateSpending, formatCost } from '../../app/format.ts'
import { findSession } from '../../app/session/find-sessions.ts'
import { locateArtifact, readArtifactOrReason } from '../../app/session/read-artifact.ts'
import { readLogs } from '../../app/session/read-logs.ts'
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { AgentCallRecord, MessageRecord, SessionArtifact } from '../../domain/session/store-records.ts'
import { withApp } from '../session/with-app.ts'
import { eventFormatter, formatDateTime, paint, print, printNotice } from '../terminal/console.ts'
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
}

export async function runLogsCommand(typed: string, { issue, prompts, raw, diff }: LogsOptions): Promise<number> {
  return withApp(async (app) => {
    const session = await findSession(app, typed)
    const { events, messages, calls, artifacts } = await readLogs(app, session.session_id, issue)
    if (diff) {
      const { listIssueDiffs } = await import('../../app/report/build-report.ts')
      // Issues that share files have the same diff.
      const diffs = Map.groupBy(await listIssueDiffs(app, session, issue), ({ text }) => text)
      for (const text of diffs.keys()) print(sanitizeForTty(text).replace(/\n$/, ''))
      if ([...diffs.values()].flat().some(({ is_cut }) => is_cut))
        printNotice('a diff is cut: without --diff, logs names the files that hold all of it')
      return 0
    }
    if (prompts || raw) {
      const text: LoadText = async (ref) => sanitizeForTty(await readArtifactOrReason(app, ref))
      for (const call of calls) print(await formatCallTexts(call, text, raw))
      return 0
    }
    printEvents(events)
    printMessages(messages)
    printArtifactPaths(calls, artifacts, (ref) => locateArtifact(app, ref))
    return 0
  })
}

type ResolvePath = (ref: string) => string
type LoadText = (ref: string) => Promise<string>

function printEvents(events: readonly SessionEvent[]): void {
  const formatEvent = eventFormatter(process.stdout)
  for (const event of events) {
    const line = formatEvent(event)
    if (line !== undefined) print(line)
  }
}

/** Includes messages that came after the last event and those that were refused. */
function printMessages(messages: readonly MessageRecord[]): void {
  if (messages.length === 0) return
  print(`\n${paint('bold', 'said', process.stdout)}`)
  const rows = messages.map(({ at, name, outcome, response, by, from }) => [
    formatDateTime(at),
    paint(outcome === 'refused' ? 'yellow' : 'dim', outcome, process.stdout),
    sanitizeLine(name),
    `${sanitizeLine(by)} (${sanitizeLine(from)}): ${sanitizeLine(response)}`,
  ])
  print(formatTable(rows, '  '))
}

function printArtifactPaths(
  calls: readonly AgentCallRecord[],
  artifacts: readonly SessionArtifact[],
  path: ResolvePath,
): void {
  for (const call of calls) {
    print(`\n${paint('bold', `call ${summarizeCall(call)}`, process.stdout)}`)
    const places: [string, string | undefined][] = [
      ['prompt', call.prompt_ref],
      ['reply', call.reply_ref],
      ['transcript', call.transcript_ref],
    ]
    print(places.flatMap(([name, ref]) => (ref === undefined ? [] : [`  ${name.padEnd(10)}  ${path(ref)}`])).join('\n'))
  }
  if (artifacts.length === 0) return
  print(`\n${paint('bold', 'artifacts', process.stdout)}`)
  const width = Math.max(...artifacts.map(({ name }) => name.length))
  for (const { kind, name, ref } of artifacts) print(`  ${kind.padEnd(12)}  ${name.padEnd(width)}  ${path(ref)}`)
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
