import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordedCall } from '../../rehearsal/calls.ts'
import { modelCalls, overlapped, phases, subAgents } from '../../rehearsal/model-calls.ts'

function request(code: string, startedAt: number, endedAt: number | undefined): RecordedCall {
  const about = {
    n: 1,
    provider: 'anthropic',
    model: 'm',
    role: 'fixer_single',
    iteration: 1,
    step: 0,
    reply: false,
  } as const
  const made = { ...about, codes: [code], session: 's', agent: `agent-${code}`, path: '/v1/messages', body: {} }
  return { ...made, startedAt, ...(endedAt === undefined ? {} : { endedAt }) }
}

function phasesOf(...requests: readonly RecordedCall[]): unknown {
  return phases(subAgents(requests)).map(({ codes, together }) => [codes.join(' '), together])
}

test('a call lasts from its first request to its last answer', () => {
  const calls = modelCalls([request('A', 0, 10), request('B', 5, 8), request('A', 20, 30)])
  assert.deepEqual(
    calls.map(({ codes, startedAt, endedAt, requests }) => [codes[0], startedAt, endedAt, requests]),
    [
      ['A', 0, 30, 2],
      ['B', 5, 8, 1],
    ],
  )
  assert.deepEqual(modelCalls([{ ...request('A', 0, 1), role: 'auxiliary' }]), [])
})

test('steps that are kept, begun too early, and not run together at all are told apart', () => {
  const [a, b] = [request('A', 0, 10), request('B', 1, 20)]
  assert.deepEqual(phasesOf(a, b, request('C', 20, 25)), [
    ['A B', true],
    ['C', true],
  ])
  assert.deepEqual(phasesOf(a, b, request('C', 12, 25)), [['A B C', false]], 'C did not wait for B')
  assert.deepEqual(phasesOf(a, request('B', 10, 20)), [
    ['A', true],
    ['B', true],
  ])
  assert.deepEqual(phasesOf(request('A', 0, undefined), request('B', 100, 200)), [['A B', true]], 'A is under way')
  const [one, other] = modelCalls([a, b])
  assert.ok(one && other && overlapped(one, other))
})
