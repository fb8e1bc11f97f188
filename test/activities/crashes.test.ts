// kill -9 between any two writes of an activity, then its retry: nothing is done twice, nothing is lost, and what the store says
// is what the branch says. For a commit also what comes of it when the session is closed instead.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OpenRequest } from '../../src/domain/people/validate-messages.ts'
import { listStageCodes } from '../../src/domain/plan/plan.ts'
import type { CommitInput, ResolvedRequest, WaitState } from '../../src/domain/workflow-types/index.ts'
import { type Bench, dyingShop, setBench } from './support.ts'

const FILES = { A: 'src/app.py', B: 'src/lib/util.py' }

async function opened(bench: Bench, id: string): Promise<void> {
  await bench.session(id, FILES)
  await bench.run('openSession', { sessionId: id })
}

async function readyToCommit(bench: Bench, id: string): Promise<CommitInput> {
  await opened(bench, id)
  const tree = await bench.fixed(id, 's1.i1.b1.fix', { 'src/app.py': 'def f():\n    return 2\n' }, 'A')
  return {
    sessionId: id,
    stepId: 's1.commit',
    head: bench.workspace(id).base,
    selections: [{ snapshot: 's1.i1.b1.fix', codes: ['A'] }],
    codes: ['A'],
    iteration: 1,
    tree,
    verified: 'unverified',
    at: Date.parse('2026-11-18T12:00:00Z'),
    iterations: { A: 1 },
  }
}

interface Death<Input> {
  prepare(id: string): Promise<Input>
  /** The activity, in a shop whose store dies on the way. */
  act(shop: Bench['shop'], input: Input): Promise<unknown>
  look(id: string, input: Input, at: string): Promise<void>
}

/** Every moment at which the activity's worker can die, each in a session of its own. */
async function atEveryMoment<Input>(bench: Bench, { prepare, act, look }: Death<Input>): Promise<void> {
  for (let nth = 1; ; nth += 1) {
    for (const when of ['before', 'after'] as const) {
      const id = `s-${nth}-${when}`
      const input = await prepare(id)
      const dying = dyingShop(bench.shop, nth, when)
      const error = await act(dying.shop, input).then(
        () => undefined,
        (reason: Error & { type?: string }) => reason,
      )
      if (!dying.died()) return
      assert.equal(error?.type, 'Dead', String(error))
      await look(id, input, `${when} call ${nth} of the store`)
    }
  }
}

async function statusOf(bench: Bench, id: string): Promise<string[]> {
  const issues = await bench.store.issues.list({ task_id: id })
  return issues.map(({ issue_code, status }) => `${issue_code} ${status}`).sort()
}

async function counted(bench: Bench, id: string, type: string): Promise<number> {
  return (await bench.store.events.listAfter(id)).filter((event) => event.type === type).length
}

async function branchOf(bench: Bench, id: string): Promise<string> {
  return (await bench.store.sessions.get(id))?.branch_name ?? ''
}

async function setRepository(t: Parameters<typeof setBench>[0]): Promise<Bench> {
  const bench = await setBench(t)
  bench.git(['config', 'user.name', 'Ada'])
  bench.git(['config', 'user.email', 'ada@example.org'])
  return bench
}

describe('after a death at any moment', () => {
  test('opening again finds what was opened', async (t) => {
    const bench = await setRepository(t)
    await atEveryMoment(bench, {
      prepare: async (sessionId) => {
        await bench.session(sessionId, FILES)
        return { sessionId }
      },
      act: (shop, input) => bench.run('openSession', input, { shop }),
      look: async (id, input, at) => {
        const again = await bench.run('openSession', input)
        const steps = again.stages.flatMap(({ batches }) => batches.flatMap((batch) => batch.steps))
        assert.deepEqual(steps, [['A', 'B']], at)
        assert.deepEqual(await statusOf(bench, id), ['A in_progress', 'B in_progress'], at)
        assert.equal(await counted(bench, id, 'fix_plan_ready'), 1, at)
        assert.equal(bench.workspace(id).branch, again.branch, at)
        assert.ok((await bench.store.sessions.get(id))?.run_id, at)
      },
    })
  })

  test('laying out the plan again lays out the same, and tells it once', async (t) => {
    const bench = await setRepository(t)
    await atEveryMoment(bench, {
      prepare: async (id) => {
        await opened(bench, id)
        const edits = [{ drop: ['B'], order: [], notes: { A: 'mind the tests' } }]
        return { sessionId: id, stepId: 'plan.p1.apply', answered: [], edits }
      },
      act: (shop, input) => bench.run('applyPlan', input, { shop }),
      look: async (id, input, at) => {
        const laid = await bench.run('applyPlan', input)
        assert.deepEqual(laid.stages.flatMap(listStageCodes), ['A'], at)
        assert.deepEqual((await bench.store.sessions.get(id))?.plan?.issues.A?.note, 'mind the tests', at)
        assert.equal(await counted(bench, id, 'fix_plan_ready'), 2, at)
        const [brief] = await bench.store.artifacts.listForSession(id, { kind: 'todo', name: 'brief' })
        assert.equal(brief?.ref, laid.brief, at)
      },
    })
  })

  test('a question is put once, and what was answered is taken down once [S2-17]', async (t) => {
    const bench = await setRepository(t)
    const question = { id: 'A-q1', code: 'A', question: 'Strict?', context: '' }
    const open: OpenRequest = { kind: 'clarification', request: 'clarify.r1', questions: [question] }
    const waiting: WaitState = { kind: 'clarification', for: 'an answer', since: 1, until: 2 }
    const decided = { by: 'Ada', from: 'terminal', at: 3 }
    const answers = [{ ...question, ...decided, answer: 'yes' }]
    const settled: ResolvedRequest = { kind: 'clarification', resolution: 'skipped', answers, decidedBy: decided }
    const asked = { stepId: 'r1.asked', reason: 'an answer', waiting, open }
    await atEveryMoment(bench, {
      prepare: async (sessionId) => {
        await opened(bench, sessionId)
        return { sessionId, over: { sessionId, stepId: 'r1.asked.resumed', reason: 'an answer', resolved: settled } }
      },
      act: async (shop, { sessionId, over }) => {
        await bench.run('recordWait', { sessionId, ...asked }, { shop })
        await bench.run('recordWait', over, { shop })
      },
      look: async (id, { over }, at) => {
        // Temporal tries again what was not done; what was done by then is not undone by that.
        if ((await counted(bench, id, 'fix_resumed')) === 0) await bench.run('recordWait', { sessionId: id, ...asked })
        await bench.run('recordWait', over)
        const { status, waiting: shown, decision } = (await bench.store.sessions.get(id)) ?? {}
        assert.deepEqual([status, shown, decision], ['analyzing', undefined, undefined], at)
        const told = await Promise.all(
          ['fix_clarification_needed', 'fix_waiting', 'fix_resumed', 'fix_clarification_received'].map((type) =>
            counted(bench, id, type),
          ),
        )
        assert.deepEqual(told, [1, 1, 1, 2], at)
        await bench.run('closeSession', { sessionId: id, outcomes: {}, at: 4 })
      },
    })
  })

  test('committing again makes the same commit, once, also when the author has another name by now', async (t) => {
    const bench = await setRepository(t)
    await atEveryMoment(bench, {
      prepare: (id) => readyToCommit(bench, id),
      act: (shop, input) => bench.run('commitStage', input, { shop }),
      look: async (id, input, at) => {
        bench.git(['config', 'user.name', `Ada ${at}`])
        const outcome = await bench.run('commitStage', input)
        assert.ok(outcome.kind === 'committed', `${at}: ${outcome.kind}`)
        const branch = await branchOf(bench, id)
        assert.equal(bench.git(['rev-list', '--count', `main..${branch}`]), '1', at)
        assert.equal(bench.git(['rev-parse', branch]), outcome.sha, at)
        assert.deepEqual(await statusOf(bench, id), ['A resolved', 'B in_progress'], at)
        assert.equal(await counted(bench, id, 'fix_issue_committed'), 1, at)
      },
    })
  })

  test('of a commit, closing the session instead leaves resolved what is on the branch, and nothing else', async (t) => {
    const bench = await setRepository(t)
    const seen = new Set<boolean>()
    await atEveryMoment(bench, {
      prepare: (id) => readyToCommit(bench, id),
      act: (shop, input) => bench.run('commitStage', input, { shop }),
      look: async (id, _, at) => {
        const ending = { class: 'cancelled', detail: 'cancelled by a person' } as const
        await bench.run('closeSession', { sessionId: id, outcomes: {}, ending, at: Date.now() })
        const isOn = bench.git(['branch', '--list', await branchOf(bench, id)]) !== ''
        seen.add(isOn)
        assert.deepEqual(await statusOf(bench, id), [isOn ? 'A resolved' : 'A open', 'B open'], at)
        const result = (await bench.store.sessions.get(id))?.result
        assert.deepEqual([result?.issues_fixed, result?.commits.length], isOn ? [1, 1] : [0, 0], at)
        assert.equal(await counted(bench, id, 'fix_issue_committed'), isOn ? 1 : 0, at)
        assert.equal((await bench.store.events.findLast(id))?.type, 'fix_session_cancelled', at)
      },
    })
    assert.deepEqual([...seen].sort(), [false, true])
  })

  test('closing again ends every issue in one state, tells it once, and leaves nothing', async (t) => {
    const bench = await setRepository(t)
    const A = { status: 'failed', reason: 'scored 40', failure: 'verdict', iterations: 2 } as const
    const B = { status: 'open', reason: 'out of credit', failure: 'billing', iterations: 1 } as const
    await atEveryMoment(bench, {
      prepare: async (id) => {
        await opened(bench, id)
        await bench.store.agentCalls.claim({ session_id: id, key: 's1.i1.b1.fix', role: 'fixer', codes: [] })
        return { sessionId: id, at: Date.now(), outcomes: { A, B } }
      },
      act: (shop, input) => bench.run('closeSession', input, { shop }),
      look: async (id, input, at) => {
        const summary = await bench.run('closeSession', input)
        assert.deepEqual([summary.status, summary.failed, summary.skipped], ['failed', 1, 1], at)
        assert.deepEqual(await statusOf(bench, id), ['A failed', 'B open'], at)
        assert.equal((await bench.store.events.findLast(id))?.type, 'fix_session_completed', at)
        for (const type of ['fix_issue_failed', 'fix_issue_skipped', 'fix_session_completed']) {
          assert.equal(await counted(bench, id, type), 1, `${type}, ${at}`)
        }
        const { result } = (await bench.store.sessions.get(id)) ?? {}
        const told = result?.results.map(({ error, iterations }) => [error, iterations])
        assert.deepEqual(
          told,
          [
            ['scored 40', 2],
            ['out of credit', 1],
          ],
          at,
        )
        assert.throws(() => bench.workspace(id), at)
        assert.deepEqual(
          (await bench.store.agentCalls.listForSession(id)).map(({ state }) => state),
          ['lost'],
          at,
        )
      },
    })
  })

  test('closing again ignores a false positive with its reason, and tells it once [S0-17]', async (t) => {
    const bench = await setRepository(t)
    const A = {
      status: 'ignored',
      reason: 'it is handled in line 3',
      iterations: 1,
      agreedStepId: 's1.i1.challenge',
    } as const
    const B = { status: 'open', reason: 'out of credit', failure: 'billing', iterations: 1 } as const
    await atEveryMoment(bench, {
      prepare: async (id) => {
        await opened(bench, id)
        return { sessionId: id, at: Date.now(), outcomes: { A, B } }
      },
      act: (shop, input) => bench.run('closeSession', input, { shop }),
      look: async (id, input, at) => {
        await bench.run('closeSession', input)
        assert.deepEqual(await statusOf(bench, id), ['A ignored', 'B open'], at)
        assert.equal(await counted(bench, id, 'fix_issue_skipped'), 2, at)
        const [issue] = await bench.store.issues.list({ task_id: id, issue_code: 'A' })
        assert.equal(issue?.resolution_note, A.reason, at)
        const [result] = (await bench.store.sessions.get(id))?.result?.results ?? []
        assert.deepEqual([result?.status, result?.settled, result?.false_positive], ['skipped', true, true], at)
        assert.deepEqual(
          [result?.error, result?.fix_explanation],
          [`false positive: ${A.reason} (the challenger agreed)`, A.reason],
          at,
        )
      },
    })
  })
})
