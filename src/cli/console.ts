// What the terminal shows while a session runs: one line an event, told for a person. Standard output is for results only.
import { styleText } from 'node:util'
import type { EventType, SessionEvent } from '../domain/events.ts'

type Style = Parameters<typeof styleText>[0]

const MARKS: Partial<Record<EventType, readonly [mark: string, style: Style]>> = {
  fix_session_started: ['▶', 'bold'],
  fix_plan_ready: ['≡', 'cyan'],
  fix_batch_started: ['●', 'bold'],
  fix_batch_completed: ['·', 'dim'],
  fix_issue_regenerating: ['↻', 'yellow'],
  fix_issue_streaming: ['┊', 'dim'],
  fix_scope_violation: ['✗', 'red'],
  fix_verification_started: ['…', 'dim'],
  fix_verification_result: ['✓', 'cyan'],
  fix_challenger_evaluating: ['?', 'magenta'],
  fix_challenger_result: ['⚖', 'magenta'],
  fix_issue_committed: ['✔', 'green'],
  fix_issue_failed: ['✗', 'red'],
  fix_issue_skipped: ['–', 'dim'],
  fix_waiting: ['⏳', 'yellow'],
  fix_resumed: ['▶', 'yellow'],
  fix_log: ['!', 'yellow'],
  fix_billing_error: ['✗', 'red'],
  fix_session_error: ['✗', 'red'],
  fix_session_cancelled: ['■', 'yellow'],
  fix_session_completed: ['■', 'bold'],
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr })
}

/** A line for the event; undefined for those that only programs read. */
export function eventLine(event: SessionEvent): string | undefined {
  const mark = MARKS[event.type]
  if (!mark) return undefined
  const [symbol, style] = mark
  const time = paint('dim', event.timestamp.slice(11, 19))
  const code = event.issue_code && !event.message.includes(event.issue_code) ? `${event.issue_code} ` : ''
  const until = typeof event.data?.until === 'number' ? ` · until ${new Date(event.data.until).toISOString()}` : ''
  return `${time} ${paint(style, symbol)} ${paint(style, `${code}${event.message.split('\n', 1)[0]}`)}${until}`
}
