import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { EventType, TERMINAL_EVENTS } from '../../src/domain/session/events/index.ts'
import { fixIssueCommitted } from '../../src/domain/session/events/issue-events.ts'
import { followEvents } from '../../src/store/follow-events.ts'
import { openStore } from '../../src/store/open-store.ts'
import { anyEvent, logLine } from '../domain/session/events/made-events.ts'
import { insertSession, newSession } from '../support/store.ts'
import { temporaryFolder, temporaryStore } from './support.ts'

test('an event has its place, its time, its session and what it was given [S2-25]', async (t) => {
  const store = await temporaryStore(t, { now: () => new Date('2026-11-18T10:00:00Z') })
  await insertSession(store, newSession('s1'))
  const [event] = await store.events.append('s1', [
    fixIssueCommitted(
      { codes: ['F001'], subject: 'fix: it', unproven: false },
      { issue_code: 'F001', issue_id: 'iss-1', issue_index: 2, total_issues: 7, commit_sha: 'abc' },
    ),
  ])
  assert.deepEqual(event, {
    session_id: 's1',
    seq: 1,
    type: 'fix_issue_committed',
    timestamp: '2026-11-18T10:00:00.000Z',
    issue_code: 'F001',
    issue_id: 'iss-1',
    issue_index: 2,
    total_issues: 7,
    message: 'abc fix: it',
    commit_sha: 'abc',
    data: { codes: ['F001'], subject: 'fix: it' },
  })
})

test('every name of the source documents is an event of the log [S2-24]', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const names = [
    'fix_session_started',
    'fix_issue_started',
    'fix_issue_validating',
    'fix_issue_generating',
    'fix_issue_streaming',
    'fix_challenger_evaluating',
    'fix_challenger_result',
    'fix_issue_committed',
    'fix_issue_completed',
    'fix_session_completed',
  ] as const
  const appended = await store.events.append(
    's1',
    names.map((type) => anyEvent(type)),
  )
  assert.deepEqual(
    appended.map((event) => event.type),
    names,
  )
  assert.ok(EventType.options.every((name) => name.startsWith('fix_')))
  assert.ok(['fix_session_error', 'fix_billing_error'].every((name) => TERMINAL_EVENTS.has(EventType.parse(name))))
})

test('the log of a session is gapless, knows each key once and ends with its terminal event', async (t) => {
  const folder = temporaryFolder(t)
  const two = [await openStore(path.join(folder, 'store.db')), await openStore(path.join(folder, 'store.db'))]
  t.after(() => two.forEach((store) => void store.close()))
  let session = 0
  const appends = fc.array(
    fc.record({
      writer: fc.integer({ min: 0, max: 1 }),
      events: fc.array(
        fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom('fix_log', 'fix_log', 'fix_session_completed')),
        {
          maxLength: 4,
        },
      ),
    }),
    { maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(appends, async (rounds) => {
      const id = `s${++session}`
      await insertSession(two[0]!, newSession(id))
      // All at once: what order they come in is theirs, what holds afterwards is not.
      const results = await Promise.all(
        rounds.map(({ writer, events }) =>
          two[writer]!.events.append(
            id,
            events.map(([key, type]) => anyEvent(EventType.parse(type), `k${key}`)),
          ),
        ),
      )
      const log = await two[1]!.events.listAfter(id)
      assert.deepEqual(
        log.map((event) => event.seq),
        log.map((_, index) => index + 1),
      )
      assert.equal(results.flat().length, log.length)
      assert.ok(log.slice(0, -1).every((event) => !TERMINAL_EVENTS.has(event.type)))
      assert.deepEqual(
        results.flat().sort((one, other) => one.seq - other.seq),
        log,
      )
    }),
    { numRuns: 40 },
  )
})

test('an event of a session that nobody made is refused', async (t) => {
  const store = await temporaryStore(t)
  await assert.rejects(store.events.append('none', [logLine('a')]), /FOREIGN KEY/)
})

test('a follower sees what others write, in order, and ends with the session', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const [writer, reader] = [await openStore(file), await openStore(file)]
  t.after(() => [writer, reader].forEach((store) => void store.close()))
  await insertSession(writer, newSession('s1'))
  await writer.events.append('s1', [anyEvent('fix_session_started')])

  const seen: string[] = []
  const following = (async () => {
    for await (const event of followEvents(reader, 's1', { after: 1 })) seen.push(event.message)
  })()
  for (const word of ['one', 'two', 'three']) {
    await writer.events.append('s1', [logLine(word)])
    while (seen.at(-1) !== word) await new Promise((resolve) => setImmediate(resolve))
  }
  await writer.events.append('s1', [anyEvent('fix_session_cancelled')])
  await following
  assert.deepEqual(seen.slice(0, 3), ['one', 'two', 'three'])
  assert.match(seen.slice(3).join('\n'), /^cancelled by Ada · .*$/)
})

test('a follower of its own process’s writes sees them too, and stops when told', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const stop = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const event of followEvents(store, 's1', { signal: stop.signal })) seen.push(event.message)
  })()
  await store.events.append('s1', [logLine('a')])
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await following
  assert.deepEqual(seen, ['a'])
})
