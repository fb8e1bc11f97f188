// How an event becomes a line: on a terminal cut and coloured, elsewhere whole and plain; nobody else's control characters.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { eventFormatter, formatDateTime, truncateToWidth } from '../../../src/cli/terminal/console.ts'
import { formatAge, formatTable } from '../../../src/cli/terminal/table.ts'
import type { EventType, SessionEvent } from '../../../src/domain/session/events/index.ts'

const depth = () => WriteStream.prototype.getColorDepth.call(process.stdout, { TERM: 'xterm-256color', ...colours })
let colours: Record<string, string> = {}

function stream(columns?: number): NodeJS.WriteStream {
  const isTTY = columns !== undefined
  return Object.assign(new PassThrough(), {
    isTTY,
    columns,
    getColorDepth: () => depth(),
  }) as unknown as NodeJS.WriteStream
}

/** As much of an event as a line of it needs. */
function event(more: { type?: EventType; issue_code?: string; message?: string; data?: object }): SessionEvent {
  const place = { session_id: 'fx', seq: 1, timestamp: '2026-11-18T10:00:00.000Z' }
  return { ...place, type: 'fix_log', message: 'hello', data: {}, ...more } as SessionEvent
}

const long = event({
  type: 'fix_challenger_result',
  issue_code: 'BE-001',
  message: `70 · not solved · ${'why '.repeat(50)}`,
})

test('a line fills a terminal and no more; a pipe gets all of it, without colour', () => {
  const shown = eventFormatter(stream(60))(long) ?? ''
  assert.equal([...stripVTControlCharacters(shown)].length, 60)
  assert.match(shown, /…/)
  const piped = eventFormatter(stream())(long) ?? ''
  assert.equal(piped, stripVTControlCharacters(piped))
  assert.ok(piped.includes(`BE-001 ${long.message}`))
})

test('a terminal that wants no colour gets none', () => {
  colours = { NO_COLOR: '1' }
  const plain = eventFormatter(stream(80))(long) ?? ''
  assert.equal(plain, stripVTControlCharacters(plain))
  colours = {}
  const coloured = eventFormatter(stream(80))(long) ?? ''
  assert.notEqual(coloured, stripVTControlCharacters(coloured))
})

test('what programs read is not told to people, and an issue is named once', () => {
  const tell = eventFormatter(stream())
  assert.equal(tell(event({ type: 'fix_call_completed' })), undefined)
  assert.match(tell(event({ issue_code: 'A-1', message: 'A-1 is odd' })) ?? '', /! A-1 is odd$/)
  assert.match(tell(event({ issue_code: 'A-1', message: 'odd\nand more' })) ?? '', /! A-1 odd$/)
})

test('a verification that failed, and a fix that no test proves, do not look like those that passed', () => {
  const tell = eventFormatter(stream())
  const mark = (type: SessionEvent['type'], verdict: string) => tell(event({ type, data: { verdict } }))?.split(' ')[1]
  const results = ['passed', 'unverified', 'failed'].map((verdict) => mark('fix_verification_result', verdict))
  assert.deepEqual(results, ['✓', '–', '✗'])
  assert.deepEqual([mark('fix_proof_result', 'proven'), mark('fix_proof_result', 'not_proven')], ['✓', '–'])
  assert.match(
    tell(event({ type: 'fix_checks_silenced', message: 'may silence a check: noqa' })) ?? '',
    /! may silence/,
  )
})

test('a line of the log is a warning unless it says that it is none, as no older one does', () => {
  const tell = eventFormatter(stream())
  assert.match(
    tell(event({ message: 'set up in 3.0 s', data: { level: 'note', call: 's1.i1.verify' } })) ?? '',
    /· set up in/,
  )
  assert.match(tell(event({ message: 'set up in 3.0 s', data: { call: 's1.i1.verify' } })) ?? '', /! set up in/)
  assert.match(tell(event({ message: 'lost with its worker' })) ?? '', /! lost with/)
})

test('escape sequences and control characters of others stay out', () => {
  const line = eventFormatter(stream())(event({ message: '\u001b]0;title\u0007\u001b[31mred\u001b[0m\r\u0008!' })) ?? ''
  assert.doesNotMatch(line, /\p{Cc}/u)
})

test('cutting leaves no half of a character', () => {
  assert.equal(truncateToWidth('🙂'.repeat(30), stream(20)), `${'🙂'.repeat(9)}…`)
  assert.equal(truncateToWidth('🙂'.repeat(10), stream(20)), '🙂'.repeat(10))
})

test('rows of a table stand under each other', () => {
  assert.equal(
    formatTable([
      ['a', 'long', 'x'],
      ['bbb', 'c', ''],
    ]),
    'a    long  x\nbbb  c',
  )
})

test('a long cell moves its own row alone', () => {
  const long = 'x'.repeat(200)
  const rows = formatTable([
    ['paths', long, 'default'],
    ['lanes', '1', 'a file'],
  ])
  assert.equal(rows, `paths  ${long}  default\nlanes  1${' '.repeat(61)}a file`)
})

test('times are told as one would say them', () => {
  const now = Date.parse('2026-11-18T10:00:00Z')
  const at = (seconds: number) => formatAge(new Date(now - seconds * 1000).toISOString(), now)
  assert.deepEqual([5, 130, 7200, 200_000, -5].map(at), ['5 s ago', '2 min ago', '2 h ago', '2 d ago', '0 s ago'])
})

test('what people are asked, say and decide is told, also what was refused; and a line that waits says until when', () => {
  const tell = eventFormatter(stream())
  const at = Date.parse('2026-11-20T16:00:00Z')
  const lines = [
    event({ type: 'fix_clarification_needed', issue_code: 'A-1', message: 'A-1-q1: How strict?' }),
    event({ type: 'fix_clarification_received', message: 'A-1-q1, kim (terminal on vm): very' }),
    event({ type: 'fix_plan_decided', message: 'approve, kim (terminal on vm)' }),
    event({ type: 'fix_scope_decided', message: 'approved by kim: lib/x.py' }),
    event({ type: 'fix_message_refused', message: 'decidePlan by kim, from a signal: refused, there is no plan' }),
    event({ type: 'fix_waiting', message: 'an answer to 1 question: How strict?', data: { until: at } }),
  ].map((each) => tell(each)?.slice('10:00:00 '.length))
  assert.deepEqual(lines, [
    '? A-1-q1: How strict?',
    '✓ A-1-q1, kim (terminal on vm): very',
    '✓ approve, kim (terminal on vm)',
    '✓ approved by kim: lib/x.py',
    '✗ decidePlan by kim, from a signal: refused, there is no plan',
    `⏳ an answer to 1 question: How strict? · until ${formatDateTime(at)}`,
  ])
})

test('a terminal that does not say how wide it is gets whole lines', () => {
  assert.equal(truncateToWidth('long '.repeat(50), stream(0)), 'long '.repeat(50))
})
