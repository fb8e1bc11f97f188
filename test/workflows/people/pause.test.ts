// A paused session: the real workflow on a real server, with activities that answer what the test says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenedSession } from '../../../src/domain/workflow-types/index.ts'
import { fixed, gate, OPENED, stubSession } from '../../support/stub-session.ts'
import { until } from '../../support/until.ts'

test('a pause lets the step under way end, begins no other, says who paused it, and its time is not counted', async (t) => {
  const fixing = gate()
  const begun: string[] = []
  const ends: (number | undefined)[] = []
  const endsAt = Date.now() + 3_600_000
  const session = await stubSession(
    t,
    { endsAt },
    {
      fixBatch: async (input) => {
        begun.push('fix')
        ends.push(input.endsAt)
        await fixing.passed
        return fixed(input)
      },
      challengeTree: async ({ codes, endsAt }) => {
        begun.push('challenge')
        ends.push(endsAt)
        const verdict = { score: 97, blockers: 0 }
        return {
          tree: 'tree',
          issues: Object.fromEntries(codes.map((code) => [code, verdict])),
          unchallenged: [],
          feedbackKey: '',
        }
      },
    },
  )
  await until('it fixes', () => begun.length === 1)
  const paused = await session.update('pause', { by: 'ada', from: 'a test', reason: 'the quota is needed' })
  assert.deepEqual(
    [paused.outcome, paused.response],
    ['taken', 'it is paused: the step under way ends, and none begins before it is resumed'],
  )
  assert.equal((await session.update('pause', {})).outcome, 'repeated')
  fixing.open()
  await until('the pause is on record', () => session.notes.some(({ waiting }) => waiting?.kind === 'pause'))
  const { waiting } = await session.view()
  assert.equal(waiting?.for, 'a resume: ada (claimed) (a test (claimed)) paused it: the quota is needed')
  assert.match(waiting?.answer ?? '', /^fixwright resume /)
  assert.deepEqual(begun, ['fix'])
  await session.signal('resume', {})
  await session.ended()
  assert.deepEqual(begun, ['fix', 'challenge'])
  assert.ok(ends[0] === endsAt && (ends[1] ?? 0) > endsAt, `${ends}`)
  assert.equal(session.notes.at(-1)?.waiting, undefined)
})

test('a paused session can be cancelled, and a session that is not paused is told so', async (t) => {
  const fixing = gate()
  const session = await stubSession(t, {}, { fixBatch: async (input) => fixing.passed.then(() => fixed(input)) })
  assert.equal((await session.update('resume', {})).response, 'it is not paused')
  await session.signal('pause', {})
  fixing.open()
  await until('the pause is on record', () => session.notes.some(({ waiting }) => waiting?.kind === 'pause'))
  await session.signal('cancel', {})
  const { status } = (await session.ended()) as { readonly status: string }
  assert.equal(status, 'cancelled')
})

test('a pause of a session with lanes is recorded by the lane that it holds back, and hides no decision of another', async (t) => {
  const [first, third] = [gate(), gate()]
  t.after(() => [first, third].forEach(({ open }) => void open()))
  const stages = ['A', 'B', 'C'].map((code) => ({
    batches: [{ kind: 'backend', label: code, workload: 1, steps: [[code]] }],
  })) satisfies OpenedSession['stages']
  const files = [{ path: 'docs/b.md', codes: ['B'], why: 'outside' }]
  const session = await stubSession(
    t,
    { stages, rules: { ...OPENED.rules, challenge: true }, lanes: { count: 3, sharing: [] } },
    {
      fixBatch: async (input) => {
        if (input.stage === 1) await first.passed
        if (input.stage === 3) await third.passed
        return fixed(input, input.stage === 2 ? { needsApproval: ['B'] } : {})
      },
      prepareScopeRequest: async () => ({ files, more: 0 }),
    },
  )
  await session.asks('scope')
  await session.update('pause', {})
  third.open()
  await until('the pause is on record', () => session.notes.some(({ waiting }) => waiting?.kind === 'pause'))
  await session.signal('resume', {})
  await until('the resume is on record', () => session.notes.some(({ stepId }) => stepId.endsWith('.resumed')))
  const pause = session.notes.filter(({ stepId }) => stepId.startsWith('pause'))
  assert.deepEqual(
    pause.map(({ lane, shows }) => [lane?.number, shows?.open?.kind]),
    [
      [3, 'scope'],
      [3, 'scope'],
    ],
  )
})

test('lanes whose challenger’s key is refused wait for it once, and nobody asks again when the time is over', async (t) => {
  const stages = ['A', 'B', 'C'].map((code) => ({
    batches: [{ kind: 'backend', label: code, workload: 1, steps: [[code]] }],
  })) satisfies OpenedSession['stages']
  const asked: string[] = []
  const allAsked = gate()
  const failure = { class: 'access', credentials: true, detail: 'invalid key' } as const
  const session = await stubSession(
    t,
    { stages, lanes: { count: 3, sharing: [] }, timeouts: { ...OPENED.timeouts, giveUpAfterSeconds: 2 } },
    {
      challengeTree: async ({ stepId }) => {
        asked.push(stepId)
        if (asked.length === 3) allAsked.open()
        await allAsked.passed
        return { tree: 'tree', issues: {}, unchallenged: [], feedbackKey: '', failure }
      },
    },
  )
  await session.ended()
  assert.deepEqual(asked.toSorted(), ['s1.i1.challenge', 's2.i1.challenge', 's3.i1.challenge'])
  assert.deepEqual(
    session.notes.map(({ stepId }) => stepId),
    ['pause1', 'pause1.resumed'],
  )
})
