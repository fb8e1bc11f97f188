// Event streams: where they begin, when they end, and what becomes of slow readers.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { logClarified } from '../../src/domain/session/events/logs/session-logs.ts'
import { addSession, endSession } from '../cli/support.ts'
import { until } from '../support/until.ts'
import { type Follower, follow, type ServedDesk, serveDesk } from './support.ts'

async function write(desk: ServedDesk, id: string, from: number, to: number, words = 'all is clear'): Promise<void> {
  for (let n = from; n <= to; n += 1) {
    const event = logClarified(`clarify ${n}`, { round: n, ready: true, questions: 0, words })
    await desk.store.events.append(id, [{ ...event, data: { ...event.data, words } }])
  }
}

function follows(desk: ServedDesk, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Follower> {
  return follow(desk.server.url, path, { token: desk.tokens.viewer, headers })
}

const idsOf = ({ frames }: Follower) => frames.map(({ id }) => Number(id))

describe('event streams', { concurrency: 2 }, () => {
  test('a stream replays and goes on without gap, ends after the terminal event, and then is 204 [S2-24] [S2-25]', async (t) => {
    const desk = await serveDesk(t)
    await addSession(desk, 'fx-1', ['A', 'B'])
    await write(desk, 'fx-1', 1, 3)
    const reader = await follows(desk, '/api/sessions/fx-1/events')
    assert.equal(reader.response.headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(reader.response.headers['cache-control'], 'no-store')
    assert.equal(reader.response.headers['x-accel-buffering'], 'no')
    await until('the first three came', () => reader.frames.length === 3)
    assert.match(reader.text(), /^retry: 2000\n: \n\nid: 1\nevent: fix_log\ndata: \{/)
    const [first] = reader.frames
    assert.deepEqual(
      [first?.event, first?.data.type, first?.data.session_id, first?.data.seq],
      ['fix_log', 'fix_log', 'fx-1', 1],
    )
    assert.match(first?.data.timestamp, /Z$/)
    const head = await desk.ask('/api/sessions/fx-1/events', { method: 'HEAD' })
    assert.deepEqual(
      [head.status, head.headers['content-type'], head.text],
      [200, 'text/event-stream; charset=utf-8', ''],
    )
    await write(desk, 'fx-1', 4, 5)
    await endSession(desk, 'fx-1')
    assert.equal(await reader.ended, true)
    assert.deepEqual(idsOf(reader), [1, 2, 3, 4, 5, 6])
    assert.equal(reader.frames.at(-1)?.event, 'fix_session_completed')
    for (const [path, headers] of [
      ['/api/sessions/fx-1/events?after=6', {}],
      ['/api/sessions/fx-1/events', { 'last-event-id': '6' }],
      ['/api/sessions/fx-1/events?after=1', { 'last-event-id': '99' }],
    ] as const) {
      assert.equal((await follows(desk, path, headers)).status, 204, path)
    }
  })

  test('the header comes before the query; what is no number is refused, beyond the end is waited for', async (t) => {
    const desk = await serveDesk(t)
    await addSession(desk, 'fx-1', ['A'])
    await write(desk, 'fx-1', 1, 9)
    const both = await follows(desk, '/api/sessions/fx-1/events?after=2', { 'last-event-id': '7' })
    await until('what is after the header came', () => both.frames.length === 2)
    assert.deepEqual(idsOf(both), [8, 9])
    const beyond = await follows(desk, '/api/sessions/fx-1/events?after=10')
    await write(desk, 'fx-1', 10, 11)
    await until('what is beyond came', () => beyond.frames.length === 1)
    assert.deepEqual(idsOf(beyond), [11])
    for (const wrong of ['?after=-1', '?after=x', '?after=1.5']) {
      assert.equal((await desk.ask(`/api/sessions/fx-1/events${wrong}`)).body?.code, 'bad_input', wrong)
    }
    const header = await desk.ask('/api/sessions/fx-1/events?after=1', { headers: { 'last-event-id': 'x' } })
    assert.equal(header.body?.errors[0].pointer, '/header/last-event-id')
    assert.equal((await desk.ask('/api/sessions/fx-none/events')).body?.code, 'session_not_found')
    both.leave()
    beyond.leave()
  })

  test('many readers of a session get every event once and in order, whenever they come', async (t) => {
    const desk = await serveDesk(t)
    await addSession(desk, 'fx-1', ['A'])
    await write(desk, 'fx-1', 1, 20)
    const writing = write(desk, 'fx-1', 21, 220)
    const readers: Follower[] = []
    for (let n = 0; n < 30; n += 1) readers.push(await follows(desk, `/api/sessions/fx-1/events?after=${n}`))
    await writing
    await endSession(desk, 'fx-1')
    for (const [n, reader] of readers.entries()) {
      assert.equal(await reader.ended, true)
      assert.deepEqual(
        idsOf(reader),
        Array.from({ length: 221 - n }, (_, index) => n + index + 1),
      )
    }
  })

  test('a heartbeat comes without events, and a stream ends after its time, to be taken up again', async (t) => {
    const desk = await serveDesk(t, {}, { heartbeatMs: 10, maxMs: 2_000 })
    await addSession(desk, 'fx-1', ['A'])
    const reader = await follows(desk, '/api/sessions/fx-1/events')
    await until('heartbeats come', () => /(: \n\n.*){4}/s.test(reader.text()))
    assert.equal(await reader.ended, true)
    assert.match(reader.text(), /: come back\n\n$/)
  })

  test('the streams of a token that was revoked end with the next heartbeat', async (t) => {
    const desk = await serveDesk(t, {}, { heartbeatMs: 10 })
    await addSession(desk, 'fx-1', ['A'])
    const readers = [await follows(desk, '/api/sessions/fx-1/events'), await follows(desk, '/api/events')]
    const [, id = ''] = desk.tokens.viewer.split('_')
    await desk.ask(`/api/tokens/${id}/revoke`, { method: 'POST', body: {} })
    for (const reader of readers) assert.equal(await reader.ended, true)
    assert.equal((await follows(desk, '/api/events')).status, 401)
  })

  test('a reader that takes nothing is cut, others are not held up, and it gets the rest when it comes back', async (t) => {
    const desk = await serveDesk(t, {}, { stalledMs: 1_000 })
    await addSession(desk, 'fx-1', ['A'])
    const { hostname, port } = new URL(desk.server.url)
    const socket = connect(Number(port), hostname)
    t.after(() => socket.destroy())
    let cut = false
    socket.on('close', () => {
      cut = true
    })
    socket.on('error', () => undefined)
    socket.write(
      `GET /api/sessions/fx-1/events HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${desk.tokens.viewer}\r\n\r\n`,
    )
    const quick = await follows(desk, '/api/sessions/fx-1/events')
    // More than the buffers of both ends hold.
    await write(desk, 'fx-1', 1, 150, 'x'.repeat(100_000))
    await endSession(desk, 'fx-1')
    assert.equal(await quick.ended, true)
    assert.equal(quick.frames.length, 151)
    socket.resume()
    await until('the slow reader is cut', () => cut)
    const again = await follows(desk, '/api/sessions/fx-1/events?after=140')
    await again.ended
    assert.deepEqual(idsOf(again), [141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151])
  })

  test('hints name the sessions that have changed, and say nothing of them', async (t) => {
    const desk = await serveDesk(t)
    await addSession(desk, 'fx-1', ['A'])
    await addSession(desk, 'fx-2', ['B'], { task_id: 'other' })
    await write(desk, 'fx-1', 1, 1)
    const reader = await follows(desk, '/api/events')
    await write(desk, 'fx-2', 1, 2)
    await until('a hint came', () => reader.frames.some(({ data }) => data.seq === 2))
    assert.deepEqual(reader.frames.at(-1), { event: 'session', data: { session_id: 'fx-2', seq: 2 } })
    assert.ok(reader.frames.every(({ data }) => data.session_id === 'fx-2'))
    await desk.server.close()
    await reader.ended
  })
})
