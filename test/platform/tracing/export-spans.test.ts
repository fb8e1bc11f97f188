import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSpanExporter, type Span } from '../../../src/platform/tracing/export-spans.ts'
import { findSpanReceiver } from '../../../src/platform/tracing/find-receiver.ts'
import { startOtlpReceiver } from '../../support/otlp-receiver.ts'

const SPAN: Span = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  name: 'work',
  kind: 'internal',
  startMs: 1000.5,
  endMs: 2000.5,
  attributes: { text: 'a', whole: 3, part: 0.5, yes: true, list: ['x'], none: undefined },
}

test('spans that a receiver refuses are dropped and told of; one that is down gets them later', async (t) => {
  const receiver = await startOtlpReceiver(t)
  const dropped: string[] = []
  const exporter = createSpanExporter({
    url: `${receiver.url}/v1/traces`,
    headers: {},
    version: '1',
    onDropped: (reason, spans) => dropped.push(`${spans}: ${reason}`),
  })
  receiver.answerWith(400)
  exporter.export(SPAN)
  exporter.export(SPAN)
  await exporter.close()
  assert.deepEqual(dropped, ['2: it answered 400'])
  receiver.answerWith(503, 200)
  exporter.export({ ...SPAN, failure: 'lost' })
  await exporter.close()
  assert.deepEqual(
    receiver.spans.map(({ name, failure, seconds, attributes }) => ({ name, failure, seconds, attributes })),
    [
      {
        name: 'work',
        failure: 'lost',
        seconds: 1,
        attributes: { text: 'a', whole: '3', part: 0.5, yes: true, list: { values: [{ stringValue: 'x' }] } },
      },
    ],
  )
  assert.equal(dropped.length, 1)
})

test('closing waits only some seconds for a receiver that does not answer', async () => {
  const exporter = createSpanExporter({
    url: 'http://127.0.0.1:9/v1/traces',
    headers: {},
    version: '1',
    onDropped: () => undefined,
  })
  exporter.export(SPAN)
  const started = performance.now()
  await exporter.close()
  assert.ok(performance.now() - started < 20_000)
})

test('the receiver is that of the setting, else of the variables of OpenTelemetry', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318', OTEL_EXPORTER_OTLP_HEADERS: 'k=v%3D1, broken, Other = 2' }
  assert.deepEqual(findSpanReceiver(null, env), { url: 'http://a:4318/v1/traces', headers: { k: 'v=1', other: '2' } })
  assert.equal(findSpanReceiver('http://b/', env)?.url, 'http://b/v1/traces')
  assert.equal(findSpanReceiver(null, { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x' })?.url, 'http://c/x')
  for (const nowhere of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, { OTEL_EXPORTER_OTLP_ENDPOINT: 'file:///etc' }])
    assert.equal(findSpanReceiver(null, nowhere), undefined)
})
