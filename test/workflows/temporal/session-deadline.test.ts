// A session's time, on a real Temporal server with a real worker: what runs when it is over is ended, what has passed by then is
// committed, and what people take to answer is none of it.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ApplicationFailure } from '@temporalio/common'
import { SESSION_TIME_OVER } from '../../../src/domain/budget/limits.ts'
import type { CloseInput, OpenedSession, VerifyOutcome } from '../../../src/domain/workflow-types/index.ts'
import { ASKS, fixed, OPENED, type Stubs, stubSession, TALK, untilCancelled } from '../../support/stub-session.ts'
import { until } from '../../support/until.ts'

const VERIFIED: OpenedSession['rules'] = { ...OPENED.rules, challenge: false, verify: true }
const PASSED: VerifyOutcome = { verdict: 'passed', tree: 'tree', summary: '' }

/** A session with a stage for each of these issues, its time, and what it was closed with. */
async function session(
  t: TestContext,
  codes: string,
  seconds: number,
  stubs: Stubs,
  more: Partial<OpenedSession> = {},
) {
  const stages: OpenedSession['stages'] = [...codes].map((code) => ({
    batches: [{ kind: 'backend', label: `BE ${code}`, workload: 1, steps: [[code]] }],
  }))
  const closed: CloseInput[] = []
  let endsAt = 0
  const opened = () => {
    endsAt = Date.now() + seconds * 1000
    return { stages, rules: VERIFIED, endsAt, ...more }
  }
  const at = await stubSession(t, opened, {
    verifyBaseline: async () => PASSED,
    closeSession: async (input) => {
      closed.push(input)
      return { sessionId: input.sessionId, status: 'partial', requested: 2, fixed: 1, failed: 0, skipped: 1 }
    },
    ...stubs,
  })
  return {
    at,
    endsAt: () => endsAt,
    async ended() {
      await at.ended()
      assert.equal(closed.length, 1)
      const { ending, outcomes = {} } = closed[0] ?? {}
      return { ending, outcomes: Object.entries(outcomes).map(([code, { status }]) => `${code} ${status}`) }
    },
  }
}

const OVER = { class: 'budget', detail: SESSION_TIME_OVER.detail }

describe('a session’s time', { concurrency: 3 }, () => {
  test('ends the check that runs; what had passed is committed, the rest is open, and nothing more is begun', async (t) => {
    const seen: string[] = []
    const { ended, endsAt } = await session(t, 'ABC', 12, {
      fixBatch: async (input) => {
        seen.push(`fix ${input.codes}`)
        return fixed(input)
      },
      verifyTree: ({ codes }) =>
        codes.includes('A') ? Promise.resolve(PASSED) : untilCancelled().finally(() => seen.push('ended')),
    })
    assert.deepEqual(await ended(), { ending: OVER, outcomes: ['A resolved', 'B open'] })
    assert.deepEqual(seen, ['fix A', 'fix B', 'ended'])
    assert.ok(Date.now() >= endsAt())
  })

  test('does not end what judges what had passed without the rest: that is committed, too', async (t) => {
    const seen: string[] = []
    const stages: OpenedSession['stages'] = [
      { batches: [{ kind: 'backend', label: 'BE', workload: 1, steps: [['A', 'B']] }] },
    ]
    const rules = { ...OPENED.rules, verify: true, maxIterations: 2 }
    const stubs: Stubs = {
      fixBatch: async (input) => {
        seen.push(`fix ${input.codes}`)
        if (input.iteration === 1) return fixed(input)
        await until('the time is over', () => Date.now() > endsAt())
        return { ...fixed(input), failure: { class: 'budget', ...SESSION_TIME_OVER } }
      },
      verifyTree: async ({ codes }) => {
        seen.push(`verify ${codes}`)
        return { ...PASSED, tree: `${codes}` }
      },
      challengeTree: async ({ codes, endsAt: end, ignoresLimits = false }) => {
        seen.push(`challenge ${codes}`)
        assert.equal(end === undefined, ignoresLimits, 'it may take its time')
        const issues = Object.fromEntries(codes.map((code) => [code, { score: code === 'A' ? 97 : 60, blockers: 0 }]))
        return { tree: `${codes}`, issues, unchallenged: [], feedbackKey: '' }
      },
    }
    const { ended, endsAt } = await session(t, '', 8, stubs, {
      stages,
      rules,
      timeouts: { ...OPENED.timeouts, heartbeatSeconds: 60 },
    })
    assert.deepEqual(await ended(), { ending: OVER, outcomes: ['A resolved', 'B open'] })
    assert.deepEqual(seen, ['fix A,B', 'verify A,B', 'challenge A,B', 'fix B', 'verify A', 'challenge A'])
  })

  test('ends the look for a proof: what had passed is committed without one', async (t) => {
    const seen: string[] = []
    const stubs: Stubs = {
      verifyTree: async () => PASSED,
      proveFix: () => untilCancelled().finally(() => seen.push('ended')),
      commitStage: async ({ codes, proofStepIds }) => {
        seen.push(`commit ${codes} ${proofStepIds}`)
        return { kind: 'committed', sha: 'sha', codes }
      },
    }
    const { ended } = await session(t, 'A', 8, stubs, { rules: { ...VERIFIED, provesFixes: true } })
    assert.deepEqual(await ended(), { ending: undefined, outcomes: ['A resolved'] })
    assert.deepEqual(seen, ['ended', 'commit A s1.prove1.1'])
  })

  test('ends the check of the untouched base: nobody is asked to fix anything after it', async (t) => {
    const fixBatch = async () => assert.fail('a fixer was asked')
    const { ended } = await session(t, 'A', 1, { verifyBaseline: untilCancelled, fixBatch })
    assert.deepEqual(await ended(), { ending: OVER, outcomes: [] })
  })

  test('does not pass while it waits for a person', async (t) => {
    const told: (number | undefined)[] = []
    const stubs: Stubs = {
      clarify: async ({ round }) => ({ ready: round > 1, questions: round > 1 ? [] : ASKS, reused: [], message: '' }),
      verifyTree: async () => PASSED,
      fixBatch: async (input) => {
        told.push(input.endsAt)
        return fixed(input)
      },
    }
    const { at, ended, endsAt } = await session(t, 'AB', 10, stubs, { planning: TALK })
    await at.asks('clarification')
    await until('the time would be over by the clock', () => Date.now() > endsAt())
    const answered = Date.now()
    await at.update('answerClarification', { answers: { 'A-q1': 'strict', 'general-q1': '3.13' } })
    assert.deepEqual(await ended(), { ending: undefined, outcomes: ['A resolved', 'B resolved'] })
    assert.ok(told.length === 1 && (told[0] ?? 0) > answered, 'what was left is left')
  })

  test('passes for the other lanes when a wait that could not be recorded has ended its own', async (t) => {
    let failedAt = Number.POSITIVE_INFINITY
    const told: (number | undefined)[] = []
    const stubs: Stubs = {
      fixBatch: async (input) => {
        if (input.stage === 1) return fixed(input, { needsApproval: ['A'] })
        await until('the time would stand still', () => Date.now() > failedAt + 2_000)
        return fixed(input)
      },
      prepareScopeRequest: async () => ({ files: [{ path: 'x', why: 'it is outside', codes: ['A'] }], more: 0 }),
      recordWait: async () => {
        failedAt = Date.now()
        throw ApplicationFailure.nonRetryable('the disk is full')
      },
      challengeTree: async ({ codes, endsAt: end }) => {
        told.push(end)
        const issues = Object.fromEntries(codes.map((code) => [code, { score: 97, blockers: 0 }]))
        return { tree: 'tree', issues, unchallenged: [], feedbackKey: '' }
      },
    }
    const lanes = { rules: OPENED.rules, lanes: { count: 2, sharing: [] } }
    const { ended, endsAt } = await session(t, 'AB', 60, stubs, lanes)
    const { ending } = await ended()
    assert.deepEqual(ending, { class: 'infrastructure', detail: 'the disk is full' })
    assert.ok(told.length === 1 && (told[0] ?? 0) < endsAt() + 2_000, `${told} and not ${endsAt()}`)
  })
})
