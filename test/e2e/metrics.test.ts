// Metrics of a home and of Temporal's SDK in it, as Prometheus reads them from `fixwright up`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFreePort } from '../../src/runtime/temporal-server/free-port.ts'
import { ask } from '../server/support.ts'
import { parseMetrics } from '../support/parse-metrics.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

test('metrics tell of a session what its store has, also of another up; Temporal’s own stand beside them', {
  timeout: 120_000,
}, async (t) => {
  const stage = await setMadeStage(t, 2)
  const port = await findFreePort(0)
  const temporalPort = await findFreePort(0, [port])
  const environment = {
    FIXWRIGHT_SERVER_PORT: '0',
    FIXWRIGHT_METRICS_PORT: `${port}`,
    FIXWRIGHT_METRICS_TEMPORAL_PORT: `${temporalPort}`,
  }
  const goUp = async () => {
    const up = stage.commandWith(environment, 'up')
    let said = ''
    up.child.stdout?.on('data', (chunk) => {
      said += chunk
    })
    await until('up says where metrics are', () => said.includes(`http://127.0.0.1:${port}/metrics`))
    const end = async () => {
      up.child.kill('SIGINT')
      assert.equal((await up.ended).status, 0)
    }
    const [, api = ''] = /API +(http:\S+)\/api/.exec(said) ?? []
    return { api, end }
  }
  const read = async (of = port) => {
    const answer = await ask(`http://127.0.0.1:${of}`, '/metrics', {})
    assert.equal(answer.status, 200)
    assert.match(`${answer.headers['content-type']}`, /^text\/plain/)
    return parseMetrics(answer.text)
  }
  const first = await goUp()
  await ask(first.api, '/api/health', {})
  const fix = stage.start(stage.made.findings, ['--approve-plan'])
  await until(
    'a decision is waited for',
    async () => (await read()).get('fixwright_sessions_waiting{for="plan"}') === 1,
  )
  const [{ session_id: id } = { session_id: '' }] = await stage.sessions()
  assert.equal((await stage.command('plan', id, '--approve').ended).status, 0)
  assert.equal((await fix.ended).status, 0)

  const told = await read()
  const calls = await stage.read((store) => store.agentCalls.listForSession(id))
  assert.equal(told.get('fixwright_sessions_waiting{for="plan"}'), 0)
  assert.equal(told.get('fixwright_sessions{kind="fix",status="completed"}'), 1)
  for (const role of ['fixer', 'fix_challenger']) {
    const own = calls.filter((call) => call.role === role)
    const value = (name: string) => told.get(`fixwright_agent_${name}{role="${role}"}`) ?? Number.NaN
    assert.ok(own.length > 0, `nobody was a ${role}: ${calls.map((call) => call.role)}`)
    assert.equal(value('calls_total'), own.length)
    assert.equal(value('call_seconds_count'), own.length)
    assert.equal(value('queue_seconds_count'), own.filter(({ queued_ms }) => queued_ms !== undefined).length)
    assert.ok(value('queue_seconds_count') > 0)
    const cost = own.reduce((sum, { cost_usd = 0 }) => sum + cost_usd, 0)
    assert.ok(Math.abs(value('cost_usd_total') - cost) < 1e-9)
    assert.equal(cost > 0, role === 'fixer')
  }
  assert.equal(told.get('fixwright_issue_score_count'), 2)
  assert.equal(told.get('fixwright_issue_score_bucket{le="89"}'), 0)
  assert.equal(told.get('fixwright_http_request_seconds_count{method="GET",route="/api/health",status="200"}'), 1)
  for (const name of told.keys()) assert.ok(!name.includes(id) && !name.includes(stage.folder), name)

  const temporals = [...(await read(temporalPort)).keys()].join('\n')
  assert.match(temporals, /^temporal_activity_schedule_to_start_latency_seconds_bucket\{/m)
  assert.equal((await ask(`http://127.0.0.1:${port}`, '/metrics', { headers: { host: 'evil.example' } })).status, 421)
  assert.equal((await ask(`http://127.0.0.1:${port}`, '/api/sessions', {})).status, 404)
  assert.equal((await ask(`http://127.0.0.1:${port}`, '/metrics', { method: 'POST', body: {} })).status, 405)

  await first.end()
  await stage.quiet()
  const second = await goUp()
  const again = await read()
  for (const [name, value] of told) {
    if (/^fixwright_(agent|issue|sessions)/.test(name)) assert.equal(again.get(name), value, name)
  }
  await second.end()
})

test('up ends with the reason where its metrics can have no port', async (t) => {
  const stage = await setMadeStage(t, 1)
  const taken = Number(new URL(stage.model.url).port)
  const up = await stage.commandWith({ FIXWRIGHT_SERVER_PORT: '0', FIXWRIGHT_METRICS_PORT: `${taken}` }, 'up').ended
  assert.equal(up.status, 3)
  assert.match(up.stderr, new RegExp(`metrics can't be served at 127.0.0.1, port ${taken}`))
})
