// The trace of a caller through the API, the session and its activities, as an OTLP receiver gets it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { storeIssues } from '../server/stored-issues.ts'
import { serveStage } from '../server/support.ts'
import { checkInvariants } from '../support/invariants.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

test('a traceparent of HTTP goes through the session and its activities, and its spans come to an OTLP receiver', {
  timeout: 120_000,
}, async (t) => {
  const receiver = await startOtlpReceiver(t)
  const stage = await setMadeStage(t, 1, {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=team%20a',
    },
  })
  const [issue] = await storeIssues(stage)
  assert.ok(issue)
  const api = await serveStage(stage)
  // A receiver that is down for a moment loses nothing.
  receiver.answerWith(503)
  const { repository_id, issue_id } = issue
  const begun = await api.post(
    '/api/fix/start',
    { repository_id, issue_ids: [issue_id] },
    { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } },
  )
  assert.equal(begun.status, 202, begun.text)
  const id = begun.body.session_id
  const named = (name: string) => receiver.spans.filter((span) => span.name === name && span.traceId === TRACE)
  await until('the session’s span has come', () => named('fix session').length === 1)
  await until('the request’s span has come', () => named('POST /api/fix/start').length === 1)
  await until('the last activity’s span has come', () => named('closeSession').length === 1)

  const [request] = named('POST /api/fix/start')
  assert.deepEqual([request?.parentSpanId, request?.kind], [CALLER, 2])
  assert.equal(request?.attributes['http.response.status_code'], '202')
  assert.equal(request?.attributes['fixwright.request_id'], begun.headers['x-request-id'])
  const [session] = named('fix session')
  assert.equal(session?.parentSpanId, request?.spanId)
  assert.deepEqual(
    [session?.attributes['fixwright.session_id'], session?.attributes['fixwright.status'], session?.failure],
    [id, 'completed', undefined],
  )
  const within = receiver.spans.filter(({ parentSpanId }) => parentSpanId === session?.spanId)
  for (const activity of ['openSession', 'fixBatch', 'challengeTree', 'commitStage', 'closeSession'])
    assert.ok(
      within.some(({ name }) => name === activity),
      `${activity} has no span: ${within.map(({ name }) => name)}`,
    )
  const [fixer] = named('agent fixer')
  assert.equal(fixer?.parentSpanId, session?.spanId)
  assert.ok(fixer && fixer.seconds > 0 && Number(fixer.attributes['gen_ai.usage.input_tokens']) > 0)
  assert.ok(receiver.spans.every(({ traceId }) => traceId === TRACE))
  assert.equal(new Set(receiver.spans.map(({ spanId }) => spanId)).size, receiver.spans.length)
  assert.equal(receiver.headers[0]?.['x-tenant'], 'team a')
  assert.ok(!receiver.text().includes(issue.title) && !receiver.text().includes(stage.folder))
  for (const log of ['server.log', 'instance.log'])
    assert.match(readFileSync(join(stage.home.logs, log), 'utf8'), new RegExp(`"trace_id":"${TRACE}"`), log)

  const before = receiver.spans.length
  const seen = await api.get(`/api/sessions/${id}`)
  assert.equal(seen.status, 200)
  const unwanted = { headers: { traceparent: `00-${TRACE}-${CALLER}-00` } }
  assert.equal((await api.post('/api/fix/start', {}, unwanted)).status, 400)
  await api.close()
  assert.equal(receiver.spans.length, before, 'a read without a trace, and a trace that its caller does not keep')
  await stage.quiet()
  await checkInvariants(stage)
})
