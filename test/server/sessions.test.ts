// Sessions over HTTP, as the store has them: lists in pages, one with all about it, documents.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { addSession, endSession } from '../cli/support.ts'
import { serveDesk } from './support.ts'

describe('sessions over HTTP', { concurrency: 2 }, () => {
  test('the list is read in pages, the newest first, by its filter', async (t) => {
    const desk = await serveDesk(t)
    const ids = ['fx-1', 'fx-2', 'fx-3', 'fx-4', 'fx-5']
    for (const [n, id] of ids.entries()) await addSession(desk, id, [`A${n}`], { task_id: id })
    await endSession(desk, 'fx-2')
    const seen: string[] = []
    let path: string | null = '/api/sessions?limit=2'
    while (path !== null) {
      const { status, body, text } = await desk.ask(path)
      assert.equal(status, 200, text)
      seen.push(...body.items.map(({ session_id }: { session_id: string }) => session_id))
      path = body.next_cursor === null ? null : `/api/sessions?limit=2&cursor=${body.next_cursor}`
    }
    assert.deepEqual(seen, [...ids].reverse())
    const running = await desk.ask('/api/sessions?running=false')
    assert.deepEqual(
      running.body.items.map(({ session_id }: { session_id: string }) => session_id),
      ['fx-2'],
    )
    const [first] = (await desk.ask('/api/sessions?limit=1')).body.items
    const { next_cursor } = (await desk.ask('/api/sessions?limit=1')).body
    const other = await desk.ask(`/api/sessions?limit=1&status=completed&cursor=${next_cursor}`)
    assert.deepEqual([other.status, other.body.code], [404, 'cursor_invalid'])
    assert.deepEqual([first.status, first.counts.requested], ['generating', 1])
    assert.equal((await desk.ask('/api/sessions?status=done')).status, 400)
  })

  test('one session has its issues, questions and plan; what is not there is 404', async (t) => {
    const desk = await serveDesk(t)
    await addSession(desk, 'fx-1', ['A'])
    const question = { id: 'A-q1', issue_code: 'A', question: 'Strict?', context: 'the parser' }
    await desk.store.sessions.update('fx-1', {
      waiting: { kind: 'clarification', reason: 'an answer', since: new Date().toISOString() },
      decision: { kind: 'clarification', request: 'clarify.1', questions: [question] },
      plan: { stages: [{ batches: [{ label: 'all', steps: [['A']] }] }], issues: {}, remarks: ['as told'] },
    })
    const one = (await desk.ask('/api/sessions/fx-1')).body
    assert.deepEqual(
      [one.issues[0].issue_code, one.waiting.kind, one.waiting.answer],
      ['A', 'clarification', 'fixwright answer fx-1'],
    )
    const asked = await desk.ask('/api/sessions/fx-1/questions')
    assert.deepEqual(asked.body, { request: 'clarify.1', questions: [question] })
    assert.deepEqual((await desk.ask('/api/sessions/fx-1/plan')).body.plan.remarks, ['as told'])
    assert.deepEqual((await desk.ask('/api/sessions/fx-1/scope')).body, { request: null, scope: null })
    for (const part of ['', '/plan', '/events', '/report', '/diff', '/calls', '/artifacts']) {
      assert.equal((await desk.ask(`/api/sessions/fx-none${part}`)).body?.code, 'session_not_found', part)
    }
  })

  test('the report comes in four formats, artifacts as plain text and only to their own session', async (t) => {
    const desk = await serveDesk(t)
    await addSession(desk, 'fx-1', ['A', 'B'])
    await addSession(desk, 'fx-2', ['C'], { task_id: 'other' })
    const { ref } = await openArtifactStore(desk.home.artifacts).put('<script>alert(1)</script>')
    await desk.store.artifacts.link({ session_id: 'fx-1', kind: 'log', name: 'a log', ref })
    await desk.store.agentCalls.claim({
      session_id: 'fx-1',
      key: 's1.i1.b1.fix',
      role: 'fixer',
      codes: ['A'],
      marker: 'fw-1',
    })
    await endSession(desk, 'fx-1')
    const types = { json: 'application/json', md: 'text/markdown', html: 'text/html', sarif: 'application/sarif+json' }
    for (const [format, type] of Object.entries(types)) {
      const report = await desk.ask(`/api/sessions/fx-1/report?format=${format}`)
      assert.equal(report.status, 200, report.text)
      assert.ok(`${report.headers['content-type']}`.startsWith(type), format)
      assert.match(report.text, /About A/)
    }
    assert.equal((await desk.ask('/api/sessions/fx-1/report?format=pdf')).status, 400)
    const [listed] = (await desk.ask('/api/sessions/fx-1/artifacts')).body.items
    assert.deepEqual([listed.name, listed.ref], ['a log', ref])
    const content = await desk.ask(`/api/sessions/fx-1/artifacts/${ref}`)
    assert.equal(content.text, '<script>alert(1)</script>')
    assert.equal(content.headers['content-type'], 'text/plain; charset=utf-8')
    assert.match(`${content.headers['content-security-policy']}`, /default-src 'self'/)
    for (const path of [
      `/api/sessions/fx-2/artifacts/${ref}`,
      '/api/sessions/fx-1/artifacts/sha256:00',
      '/api/sessions/fx-1/artifacts/..%2f..%2fhost-id',
    ]) {
      assert.equal((await desk.ask(path)).body?.code, 'artifact_not_found', path)
    }
    const [call] = (await desk.ask('/api/sessions/fx-1/calls')).body.items
    assert.deepEqual([call.key, call.state, call.marker], ['s1.i1.b1.fix', 'started', undefined])
    assert.equal((await desk.ask('/api/sessions/fx-1/diff')).status, 200)
  })

  test('a message to a session that has ended is refused and kept on record under the name of the token', async (t) => {
    const desk = await serveDesk(t)
    await addSession(desk, 'fx-1', ['A'])
    await endSession(desk, 'fx-1')
    const late = await desk.ask('/api/sessions/fx-1/cancel', {
      method: 'POST',
      body: { reason: 'not now' },
      token: desk.tokens.operator,
    })
    assert.deepEqual([late.status, late.body.code], [409, 'session_ended'])
    const [message] = await desk.store.messages.listForSession('fx-1')
    assert.deepEqual([message?.by, message?.name, message?.outcome], ['a operator', 'cancel', 'refused'])
    assert.match(message?.from ?? '', /^HTTP, .*127\.0\.0\.1$/)
    const forged = await desk.ask('/api/sessions/fx-1/cancel', { method: 'POST', body: { by: 'the boss' } })
    assert.equal(forged.status, 400, 'who says it is who has the token')
  })
})
