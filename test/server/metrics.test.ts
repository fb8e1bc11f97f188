// How requests are counted, whatever their paths.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveMetrics } from '../../src/server/metrics/serve-metrics.ts'
import { addSession } from '../cli/support.ts'
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

test('calls of agents are counted as they are: under way, ended, lost, made again', async (t) => {
  const desk = await serveDesk(t)
  await addSession(desk, 'fx-1', ['A'])
  const call = { session_id: 'fx-1', key: 's1.i1.b1.fix', role: 'fixer', codes: ['A'] }
  for (const marker of ['m1', 'm2']) await desk.store.agentCalls.claim({ ...call, marker })
  const third = await desk.store.agentCalls.claim({ ...call, marker: 'm3' })
  assert.ok(third.kind === 'claimed')
  await desk.store.agentCalls.finish(third.call, { result: 'text', cost_usd: 0.25, duration_ms: 2_000 })
  await desk.store.agentCalls.claim({ ...call, key: 's1.i1.b2.fix', marker: 'm4' })
  const options = { host: '127.0.0.1', port: 0, names: [], requests: desk.server.requests }
  const metrics = await serveMetrics(desk.app, options)
  t.after(() => metrics.close())
  const told = parseMetrics((await ask(new URL(metrics.url).origin, '/metrics', {})).text)
  const value = (name: string) => told.get(`fixwright_agent_${name}{role="fixer"}`)
  assert.deepEqual(
    ['calls_running', 'calls_total', 'calls_lost_total', 'call_retries_total', 'cost_usd_total'].map(value),
    [1, 1, 2, 2, 0.25],
  )
  assert.deepEqual([value('call_seconds_count'), value('call_seconds_sum')], [1, 2])
})
