// Terminal output: results go to standard output, everything else to standard error, events as one line each. Events
// carry text from agents and repositories, so their control characters are removed.
import { hostname } from 'node:os'
import { styleText } from 'node:util'
import { measureWidth, truncatePath, truncateToColumns } from '../../app/format-values.ts'
import type { EventType, SessionEvent } from '../../domain/session/events/index.ts'
import { foldText } from './fold-text.ts'
import { toLocaleText } from './locale.ts'
import { sanitizeLine, sanitizeOutput } from './sanitize.ts'

type Style = Parameters<typeof styleText>[0]
type Stream = NodeJS.WriteStream
type Mark = readonly [mark: string, style: Style]

const EVENT_MARKS: Partial<Record<EventType, Mark>> = {
  fix_session_started: ['▶', 'bold'],
  fix_clarification_needed: ['?', 'yellow'],
  fix_clarification_received: ['✓', 'cyan'],
  fix_plan_ready: ['≡', 'cyan'],
  fix_plan_decided: ['✓', 'cyan'],
  fix_batch_started: ['●', 'bold'],
  fix_batch_completed: ['·', 'dim'],
  fix_issue_regenerating: ['↻', 'yellow'],
  fix_issue_streaming: ['┊', 'dim'],
  fix_scope_violation: ['✗', 'red'],
  fix_scope_decided: ['✓', 'cyan'],
  fix_checks_silenced: ['!', 'yellow'],
  fix_verification_started: ['…', 'dim'],
  fix_verification_result: ['✓', 'cyan'],
  fix_proof_result: ['✓', 'cyan'],
  fix_challenger_evaluating: ['?', 'magenta'],
  fix_challenger_result: ['⚖', 'magenta'],
  fix_votes_started: ['▶', 'bold'],
  fix_vote_cast: ['⚖', 'magenta'],
  fix_votes_counted: ['⚖', 'bold'],
  fix_issue_committed: ['✔', 'green'],
  fix_issue_failed: ['✗', 'red'],
  fix_issue_skipped: ['–', 'dim'],
  fix_waiting: ['⏳', 'yellow'],
  fix_resumed: ['▶', 'yellow'],
  fix_message_refused: ['✗', 'yellow'],
  fix_log: ['!', 'yellow'],
  fix_billing_error: ['✗', 'red'],
  fix_session_error: ['✗', 'red'],
  fix_session_cancelled: ['■', 'yellow'],
  fix_session_completed: ['■', 'bold'],
}

/** How often a line of what agents say is shown. */
const TEXT_EVERY_MS = 2_000

/** How far broken lines of a list are indented, and a comma. */
const INDENT_COLUMNS = 6

const MINOR_LOG_MARK: Mark = ['·', 'dim']

/** Marks for outcomes that differ from the mark of their event. */
const VERDICT_MARKS: Readonly<Record<string, Mark>> = {
  failed: ['✗', 'red'],
  unverified: ['–', 'yellow'],
  not_proven: ['–', 'dim'],
}

/** Names this terminal as the origin of a message, for the session's record. */
export function describeTerminalHost(): string {
  return `terminal on ${hostname()}`
}

/** What stays below all other output: a question that is being asked, else the line that shows what a session does. */
interface Footer {
  clear(): void
  draw(): void
}
const footers: { prompt?: Footer | undefined; live?: Footer | undefined } = {}

/** Keeps a footer below all output; returns the function that ends this. */
export function keepFooter(kind: 'prompt' | 'live', footer: Footer): () => void {
  footers.live?.clear()
  footers[kind] = footer
  return () => {
    footers[kind] = undefined
  }
}

export function isPromptOpen(): boolean {
  return footers.prompt !== undefined
}

function writeAboveFooter(stream: Stream, text: string): void {
  const footer = footers.prompt ?? footers.live
  footer?.clear()
  stream.write(text)
  footer?.draw()
}

/** Prints to standard error, on a terminal in lines that it need not break. */
export function printNotice(text: string): void {
  writeAboveFooter(process.stderr, `${toLocaleText(foldText(sanitizeOutput(text), getColumns(process.stderr)))}\n`)
}

/** Prints a result for people to standard output; control characters reach a file or a pipe. */
export function print(text: string): void {
  const shown = toLocaleText(process.stdout.isTTY ? sanitizeOutput(text) : text)
  if (process.stdout.isTTY) writeAboveFooter(process.stdout, `${shown}\n`)
  else process.stdout.write(`${shown}\n`)
}

/** Prints a value for programs, indented unless `oneLine`. */
export function printJson(value: unknown, { oneLine = false } = {}): void {
  const text = JSON.stringify(value, null, oneLine ? 0 : 2)
  process.stdout.write(`${process.stdout.isTTY ? sanitizeOutput(text) : text}\n`)
}

/** Prints sentences to standard output, on a terminal in lines that it need not break. */
export function printFolded(text: string): void {
  print(foldText(text, getColumns(process.stdout)))
}

/** A path as it fits into a line of standard output. */
export function fitPath(path: string): string {
  return truncatePath(sanitizeLine(path), getRoom(process.stdout, INDENT_COLUMNS))
}

/** Colours text on a terminal that wants it (NO_COLOR and FORCE_COLOR count); plain elsewhere. */
export function paint(style: Style, text: string, stream: Stream = process.stderr): string {
  return styleText(style, text, { stream })
}

/** Formats events in their order: one line for a person, or undefined if only programs need the event. */
export function eventFormatter(stream: Stream): (event: SessionEvent) => string | undefined {
  const commits = new Set<string>()
  let textShownAt = Number.NEGATIVE_INFINITY
  return (event) => {
    const mark = findEventMark(event)
    if (!mark) return undefined
    // An agent says more than a person wants to read: the events and the transcript have all of it.
    if (event.type === 'fix_issue_streaming' && event.data.kind === 'text') {
      const at = Date.parse(event.timestamp)
      if (at - textShownAt < TEXT_EVERY_MS) return undefined
      textShownAt = at
    }
    // A commit that fixes several issues has one event for each, but gets only one line.
    if (event.type === 'fix_issue_committed' && event.commit_sha !== undefined) {
      if (commits.has(event.commit_sha)) return undefined
      commits.add(event.commit_sha)
    }
    const [symbol, style] = mark
    const time = formatClock(event.timestamp)
    const lane = event.data.lane === undefined ? '' : `lane ${event.data.lane} · `
    // Measuring a symbol takes longer than all else that is printed, and a file or a pipe has room for everything.
    const hasRoomForAll = getColumns(stream) === Number.POSITIVE_INFINITY
    const text = hasRoomForAll
      ? formatEventText(event)
      : fitEventText(event, getRoom(stream, time.length + measureWidth(symbol) + 2 + measureWidth(lane)))
    return `${paint('dim', time, stream)} ${paint(style, symbol, stream)} ${lane}${paint(style, text, stream)}`
  }
}

function findEventMark({ type, data }: SessionEvent): Mark | undefined {
  if (type === 'fix_log' && data.level === 'note') return MINOR_LOG_MARK
  return ('verdict' in data ? VERDICT_MARKS[data.verdict] : undefined) ?? EVENT_MARKS[type]
}

/** Cuts a line to the terminal's width less `taken` columns; a file or a pipe gets all of it. */
export function truncateToWidth(text: string, stream: Stream, taken = 0): string {
  return truncateToColumns(text, getRoom(stream, taken))
}

function getRoom(stream: Stream, taken: number): number {
  return Math.max(getColumns(stream) - taken, 20)
}

/** A terminal that does not know its width reports 0; a file or a pipe has none. */
function getColumns(stream: Stream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY
}

export function formatClock(timestamp: string | number): string {
  return new Date(timestamp).toTimeString().slice(0, 8)
}

/** Formats the date and time in the local time zone, as ISO 8601 does: every locale reads it alike. */
export function formatDateTime(time: string | number): string {
  const at = new Date(time)
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${day.join('-')} ${formatClock(time)}`
}

/** A tool's file keeps its name. */
function fitEventText(event: SessionEvent, columns: number): string {
  const text = formatEventText(event)
  const path = event.type === 'fix_issue_streaming' && event.data.path ? sanitizeLine(event.data.path) : undefined
  if (path === undefined || !text.endsWith(path)) return truncateToColumns(text, columns)
  const tool = text.slice(0, -path.length)
  return tool + truncatePath(path, columns - measureWidth(tool))
}

function formatEventText(event: SessionEvent): string {
  const message = sanitizeLine(event.message)
  switch (event.type) {
    case 'fix_issue_committed': {
      const { codes } = event.data
      return codes.every((code) => message.includes(code)) ? message : `${message} · ${codes.join(', ')}`
    }
    case 'fix_challenger_evaluating':
      return `challenging ${message}`
    default: {
      const code = event.issue_code && !message.includes(event.issue_code) ? `${event.issue_code} ` : ''
      const until = event.type === 'fix_waiting' ? event.data.until : undefined
      return `${code}${message}${until === undefined ? '' : ` · until ${formatDateTime(until)}`}`
    }
  }
}
