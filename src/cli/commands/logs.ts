// `fixwright logs SESSION [ISSUE]`: what happened, as the follower tells it, then every call of an agent and where its prompt,
// reply and transcript lie, and the other artifacts. Reads the store and starts nothing.

import { keptFile, keptText } from '../../app/read-artifact.ts'
import { costInWords, spentOn } from '../../domain/budget/spending.ts'
import type { SessionEvent } from '../../domain/session/events.ts'
import type { CallRecord, Said, SessionArtifact } from '../../domain/session/records.ts'
import type { Store } from '../../store/store.ts'
import { BAD_INPUT, Exit } from '../exit-codes.ts'
import { withStore } from '../session/connect.ts'
import { sessionFor } from '../session/find-session.ts'
import { codesOf, moment, paint, print, storyteller } from '../terminal/console.ts'
import { harmless, printable } from '../terminal/sanitize.ts'
import { table } from '../terminal/table.ts'

export interface LogsOptions {
  readonly issue?: string | undefined
  /** The words of each call instead of the events: what the agent was told and what it answered. */
  readonly prompts: boolean
  /** All that the CLIs printed. */
  readonly raw: boolean
}

type Path = (ref: string) => string
type Text = (ref: string) => Promise<string>

export async function logs(typed: string, { issue, prompts, raw }: LogsOptions): Promise<number> {
  return withStore(async (store, home) => {
    const { session_id } = await sessionFor(store, typed)
    if (issue !== undefined) await checkIssue(store, session_id, issue)
    const all = await store.events.all(session_id)
    const isWanted = wanted(all, issue)
    const events = all.filter((event) => isAbout(event, issue) || isWanted(callOf(event)))
    const calls = (await store.calls.ofSession(session_id)).filter(({ key }) => isWanted(key))
    if (prompts || raw) {
      const text: Text = async (ref) => printable(await keptText(home, ref))
      for (const call of calls) print(await wordsOf(call, text, raw))
      return 0
    }
    const artifacts = (await store.artifacts.ofSession(session_id)).filter(
      ({ kind, name, issue_code }) =>
        !CALL_KINDS.has(kind) && (issue_code === undefined ? isWanted(name) : issue_code === issue),
    )
    printStory(events)
    if (issue === undefined) printSaid(await store.said.of(session_id))
    printPlaces(calls, artifacts, (ref) => keptFile(home, ref))
    return 0
  })
}

/** These are shown with their call. */
const CALL_KINDS: ReadonlySet<string> = new Set(['prompt', 'reply', 'transcript'])

async function checkIssue(store: Store, sessionId: string, code: string): Promise<void> {
  const codes = (await store.sessions.issuesOf(sessionId)).map(({ issue }) => issue.issue_code)
  if (codes.includes(code)) return
  throw new Exit(BAD_INPUT, `session ${sessionId} was not asked about ${code}, only about ${codes.join(', ')}`)
}

function isAbout(event: SessionEvent, issue: string | undefined): boolean {
  return (
    issue === undefined ||
    (event.issue_code === undefined ? codesOf(event).includes(issue) : event.issue_code === issue)
  )
}

/** The call that an event belongs to. */
function callOf({ data }: SessionEvent): string | undefined {
  return typeof data?.call === 'string' ? data.call : undefined
}

/** Which calls were about an issue: a call says its issues when it starts; a repair of it has its key with something after it. */
function wanted(events: readonly SessionEvent[], issue: string | undefined): (key: string | undefined) => boolean {
  if (issue === undefined) return () => true
  const keys = events.flatMap((event) => {
    const key = callOf(event)
    const about = event.message.slice(event.message.indexOf(': ') + 2).split(', ')
    return event.type === 'fix_call_started' && key !== undefined && about.includes(issue) ? [key] : []
  })
  return (name) => name !== undefined && keys.some((key) => name === key || name.startsWith(`${key}.`))
}

function printStory(events: readonly SessionEvent[]): void {
  const tell = storyteller(process.stdout)
  for (const event of events) {
    const line = tell(event)
    if (line !== undefined) print(line)
  }
}

/** Also what came after the last event, and what was refused: who said it, from where, and what became of it. */
function printSaid(said: readonly Said[]): void {
  if (said.length === 0) return
  print(`\n${paint('bold', 'said', process.stdout)}`)
  const rows = said.map(({ at, name, outcome, says, by, from }) => [
    moment(at),
    paint(outcome === 'refused' ? 'yellow' : 'dim', outcome, process.stdout),
    harmless(name),
    `${harmless(by)} (${harmless(from)}): ${harmless(says)}`,
  ])
  print(table(rows, '  '))
}

function printPlaces(calls: readonly CallRecord[], artifacts: readonly SessionArtifact[], path: Path): void {
  for (const call of calls) {
    print(`\n${paint('bold', `call ${summary(call)}`, process.stdout)}`)
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

function summary(call: CallRecord): string {
  const { key, attempt, role, model, state, duration_ms } = call
  const parts = [
    `${key} · ${role}`,
    model,
    attempt > 1 ? `attempt ${attempt}` : undefined,
    state === 'finished' ? undefined : state,
    duration_ms === undefined ? undefined : `${(duration_ms / 1000).toFixed(1)} s`,
    state === 'started' ? undefined : costInWords(spentOn([call])),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

async function wordsOf(call: CallRecord, text: Text, raw: boolean): Promise<string> {
  const parts = raw
    ? [['transcript', call.transcript_ref]]
    : [
        ['prompt', call.prompt_ref],
        ['reply', call.reply_ref],
      ]
  const blocks: string[] = []
  for (const [name, ref] of parts) {
    blocks.push(`${paint('bold', `== ${name} of ${summary(call)}`, process.stdout)}`)
    blocks.push(ref === undefined ? '(none)' : await text(ref))
  }
  return `${blocks.join('\n')}\n`
}
