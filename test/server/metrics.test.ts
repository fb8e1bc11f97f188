// How requests are counted, whatever their paths.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveMetrics } from '../../src/server/metrics/serve-metrics.ts'
import { parseMetrics } from '../support/parse-metrics.ts'
import { ask, serveDesk } from './support.ts'

test('requests are counted by route and status: no path, session or stranger makes a series of its own', async (t) => {
  const desk = await serveDesk(t)
  const { requests } = desk.server
  const metrics = await serveMetrics(desk.app, { host: '127.0.0.1', port: 0, names: ['metrics.example'], requests })
  t.after(() => metrics.close())
  for (let number = 0; number < 20; number++) {
    await desk.ask(`/api/sessions/fx-${number}`)
    await desk.ask(`/nothing/${number}`)
  }
  const { origin } = new URL(metrics.url)
  const answer = await ask(origin, '/metrics', { headers: { host: 'metrics.example:1' } })
  assert.equal(answer.status, 200)
  const told = parseMetrics(answer.text)
  const count = (route: string) =>
    told.get(`fixwright_http_request_seconds_count{method="GET",route="${route}",status="404"}`)
  assert.equal(count('/api/sessions/{session_id}'), 20)
  assert.equal(count('none'), 20)
  const series = [...told.keys()].filter((name) => name.startsWith('fixwright_http_request_seconds_count'))
  assert.equal(series.length, 2)
})
