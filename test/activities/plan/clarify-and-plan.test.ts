// What is asked before the first fix, by the real CLI: whose questions they are, what counts as an answer, and that the tree and
// the conversation are what they were before and after.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { answer, blocksOf, claudeAfter, sentIn, setTalk } from './support.ts'

const FILES = { A: 'src/app.py', B: 'src/lib/util.py' }

describe('clarifying', { concurrency: 2 }, () => {
  test('asks in rounds, each going on with the conversation, until it is ready; the ids of questions are ours and go on [S2-2, S2-3, S2-4]', async (t) => {
    const bench = await setTalk(t, {
      clarify: [
        {
          message: 'Two things.',
          questions: [
            { id: '1', issue_code: 'A', question: 'Strict or loose?', context: 'It decides the regex.' },
            { id: 'B-q7', question: 'Which encoding?' },
            { id: 'x', issue_code: 'NOBODY', question: 'May tests change?' },
          ],
        },
        { questions: [{ issue_code: 'A', question: 'How strict?' }] },
        { questions: [] },
      ],
    })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const input = { sessionId: s1, answered: [] }
    const one = await bench.run('clarify', { ...input, stepId: 'clarify.r1', round: 1 })
    assert.deepEqual(one.questions, [
      { id: 'A-q1', code: 'A', question: 'Strict or loose?', context: 'It decides the regex.' },
      { id: 'B-q1', code: 'B', question: 'Which encoding?', context: '' },
      { id: 'general-q1', question: 'May tests change?', context: '' },
    ])
    assert.deepEqual([one.ready, one.message, one.reused, one.failure], [false, 'Two things.', [], undefined])
    assert.equal((await bench.store.sessions.get(s1))?.status, 'analyzing')

    const answered = one.questions.map((question) => answer(question, `yes to ${question.id}`))
    const resume = one.conversation
    const two = await bench.run('clarify', { ...input, stepId: 'clarify.r2', round: 2, answered, resume })
    assert.deepEqual(
      two.questions.map(({ id }) => id),
      ['A-q2'],
    )
    assert.notEqual(two.conversation?.id, resume?.id)
    const [first, second] = bench.asked('clarifier')
    assert.match(blocksOf(first).get('issues') ?? '', /src\/app\.py/)
    assert.equal(blocksOf(second).get('issues'), undefined)
    assert.ok(sentIn(second).includes('Strict or loose?') && sentIn(second).includes('src/app.py'))
    assert.match(blocksOf(second).get('answers') ?? '', /yes to general-q1/)

    const again = [...answered, answer(two.questions[0], 'very')]
    const three = await bench.run('clarify', {
      ...input,
      stepId: 'clarify.r3',
      round: 3,
      answered: again,
      resume: two.conversation,
    })
    assert.deepEqual([three.ready, three.questions], [true, []])
  })

  // The CLI itself gives up on one that does not keep to the form, so there is no answer to be repaired.
  const unreadable = [
    { how: 'only talks', preset: 'prose', asked: ['', '.repair', '.fresh'] },
    { how: 'does not say whether it is ready', preset: 'wrong-schema', asked: ['', '.fresh'] },
  ] as const
  for (const { how, preset, asked } of unreadable) {
    test(`an agent that ${how} is asked once again, and is never ready`, async (t) => {
      const bench = await setTalk(t, { faults: [{ match: { role: 'clarifier' }, fault: { kind: 'text', preset } }] })
      const [s1] = bench.ids
      await bench.opened(s1, FILES)
      const input = { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] }
      const outcome = await bench.run('clarify', input)
      assert.deepEqual([outcome.ready, outcome.questions], [false, []])
      assert.equal(outcome.failure?.class, 'infrastructure')
      assert.match(outcome.failure?.detail ?? '', /never ready/)
      const keys = (await bench.store.agentCalls.listForSession(s1)).map(({ key }) => key)
      assert.deepEqual(
        keys,
        asked.map((more) => `clarify.r1${more}`),
      )
      // Tried again, nothing is paid for twice.
      assert.deepEqual(await bench.run('clarify', input), outcome)
      assert.equal((await bench.store.agentCalls.listForSession(s1)).length, asked.length)
    })
  }

  test('an answer that is broken once is repaired in the same conversation, and counts', async (t) => {
    const bench = await setTalk(t, {
      clarify: [{ questions: [{ issue_code: 'A', question: 'Strict?' }] }],
      faults: [{ match: { role: 'clarifier', at: 'reply', until: 2 }, fault: { kind: 'text', preset: 'broken-json' } }],
    })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const outcome = await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] })
    assert.deepEqual(
      outcome.questions.map(({ id }) => id),
      ['A-q1'],
    )
    const calls = await bench.store.agentCalls.listForSession(s1)
    assert.deepEqual(
      calls.map(({ key }) => key),
      ['clarify.r1', 'clarify.r1.repair'],
    )
    assert.equal(outcome.conversation?.id, calls[1]?.cli_session_id)
  })

  test('one that is not ready and asks nothing has said nothing that can be used', async (t) => {
    const bench = await setTalk(t, { clarify: [{ ready: false }] })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const outcome = await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] })
    assert.match(outcome.failure?.detail ?? '', /not ready to fix, and asks nothing/)
  })

  test('one that says it is ready and still asks is not ready', async (t) => {
    const bench = await setTalk(t, { clarify: [{ ready: true, questions: [{ question: 'Really?' }] }] })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const outcome = await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] })
    assert.deepEqual([outcome.ready, outcome.questions.map(({ id }) => id)], [false, ['general-q1']])
  })

  test('what somebody answered in an earlier session is not asked again, as long as the issue says the same', async (t) => {
    const questions = [
      { issue_code: 'A', question: 'Strict or loose?' },
      { issue_code: 'B', question: 'Which encoding?' },
      { question: 'May tests change?' },
    ]
    const bench = await setTalk(t, { clarify: [{ questions }] })
    const [s1, s2, s3] = bench.ids
    await bench.opened(s1, FILES)
    const input = { stepId: 'clarify.r1', round: 1, answered: [] }
    const first = await bench.run('clarify', { ...input, sessionId: s1 })
    const settled = {
      kind: 'clarification' as const,
      resolution: 'answered' as const,
      answers: first.questions.map((question) => answer(question, `the answer to ${question.id}`)),
      decidedBy: { by: 'Ada', from: 'terminal', at: Date.now() },
    }
    await bench.run('recordWait', {
      sessionId: s1,
      stepId: 'clarify.r1.asked.resumed',
      reason: 'an answer',
      resolved: settled,
    })
    await bench.run('closeSession', { sessionId: s1, outcomes: {}, at: Date.now() })

    await bench.opened(s2, FILES)
    const same = await bench.run('clarify', { ...input, sessionId: s2 })
    assert.deepEqual(same.questions, [])
    assert.deepEqual(
      same.reused.map(({ id, code, answer, by, from }) => [id, code, answer, by, from]),
      [
        ['A-q1', 'A', 'the answer to A-q1', 'Ada', `session ${s1}`],
        ['B-q1', 'B', 'the answer to B-q1', 'Ada', `session ${s1}`],
        ['general-q1', undefined, 'the answer to general-q1', 'Ada', `session ${s1}`],
      ],
    )
    assert.match(blocksOf(bench.asked('clarifier')[1]).get('answers') ?? '', /the answer to A-q1/)
    await bench.run('closeSession', { sessionId: s2, outcomes: {}, at: Date.now() })

    // B is about something else by now, so its answer is not, nor the one that was for both.
    await bench.opened(s3, { ...FILES, B: 'run.sh' })
    const other = await bench.run('clarify', { ...input, sessionId: s3 })
    assert.deepEqual(
      other.reused.map(({ id }) => id),
      ['A-q1'],
    )
    assert.deepEqual(
      other.questions.map(({ id }) => id),
      ['B-q1', 'general-q1'],
    )
  })

  test('what was answered in this session is not asked again either, in whatever words it comes', async (t) => {
    const ask = (question: string) => ({ questions: [{ issue_code: 'A', question }] })
    const bench = await setTalk(t, { clarify: [ask('Strict  or\nloose?'), ask('strict or loose?')] })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const one = await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] })
    const answered = [answer(one.questions[0], 'strict')]
    const resume = one.conversation
    const two = await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r2', round: 2, answered, resume })
    assert.deepEqual(two.questions, [])
    assert.match(two.failure?.detail ?? '', /asks only what was answered already/)
  })

  test('whatever it does to the tree is taken back, and the tree it looks at is the untouched one', async (t) => {
    const bench = await setTalk(t, {})
    const [s1] = bench.ids
    const line = `cp src/app.py ${join(bench.home, 'seen')}; echo broken > src/app.py; echo x > new.py; rm run.sh`
    await bench.opened(s1, FILES, claudeAfter(bench, line))
    const { tree } = bench.workspace(s1)
    bench.write({ 'src/app.py': 'left by an attempt that was lost' }, tree)
    await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] })
    assert.equal(readFileSync(join(bench.home, 'seen'), 'utf8'), 'def f():\n    return 1\n')
    assert.equal(readFileSync(join(tree, 'src/app.py'), 'utf8'), 'def f():\n    return 1\n')
    assert.deepEqual([existsSync(join(tree, 'new.py')), existsSync(join(tree, 'run.sh'))], [false, true])
  })

  test('a provider that refuses is no answer: the class is the provider’s own', async (t) => {
    const fault = { kind: 'http', preset: 'out-of-credit' } as const
    const bench = await setTalk(t, { faults: [{ match: { role: 'clarifier' }, fault }] })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const outcome = await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] })
    assert.deepEqual([outcome.ready, outcome.failure?.class], [false, 'billing'])
    assert.equal((await bench.store.agentCalls.listForSession(s1)).length, 1)
  })
})

describe('planning', { concurrency: 2 }, () => {
  test('goes on with the conversation; what it says is kept, and a plan that was rejected is made again with the reason [S1-14]', async (t) => {
    const bench = await setTalk(t, {
      clarify: [{ questions: [{ issue_code: 'A', question: 'Strict?' }] }],
      plan: [
        { issues: { A: { approach: 'Rewrite everything.' } } },
        { issues: { A: { approach: 'Change one line.' } } },
        { issues: { A: { approach: 'Change half a line.' } } },
      ],
    })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const one = await bench.run('clarify', { sessionId: s1, stepId: 'clarify.r1', round: 1, answered: [] })
    const answered = [answer(one.questions[0], 'very strict')]
    const plan = await bench.run('planFixes', { sessionId: s1, stepId: 'plan.p1', answered, resume: one.conversation })
    const [asked] = bench.asked('planner')
    assert.ok(sentIn(asked).includes('Strict?'), 'it has heard the question')
    assert.match(blocksOf(asked).get('answers') ?? '', /very strict/)
    assert.deepEqual(JSON.parse(blocksOf(asked).get('steps') ?? ''), [['A', 'B']])
    assert.equal(blocksOf(asked).get('issues'), undefined)
    assert.match(await bench.artifact(s1, 'todo', 'plan.p1'), /Rewrite everything/)
    assert.ok(plan.plan && plan.conversation && plan.conversation.id !== one.conversation?.id)

    let resume = plan.conversation
    for (const [attempt, before, then] of [
      [2, 'Rewrite everything.', 'Change one line.'],
      [3, 'Change one line.', 'Change half a line.'],
    ] as const) {
      const rejected = { stepId: `plan.p${attempt - 1}`, reason: `too much, ${attempt}` }
      const call = `plan.p${attempt}`
      const again = await bench.run('planFixes', { sessionId: s1, stepId: call, answered, rejected, resume })
      const block = blocksOf(bench.asked('planner')[attempt - 1]).get('rejected') ?? ''
      assert.ok(block.includes(`too much, ${attempt}`) && block.includes(before), block)
      assert.ok((await bench.artifact(s1, 'todo', call)).includes(then))
      resume = again.conversation!
    }
  })

  test('an answer that can’t be read leaves the plan to the rules, and the log says so', async (t) => {
    const fault = { kind: 'text', preset: 'prose' } as const
    const bench = await setTalk(t, { faults: [{ match: { role: 'planner' }, fault }] })
    const [s1] = bench.ids
    await bench.opened(s1, FILES)
    const outcome = await bench.run('planFixes', { sessionId: s1, stepId: 'plan.p1', answered: [] })
    assert.deepEqual([outcome.plan, outcome.failure], [undefined, undefined])
    assert.equal((await bench.store.agentCalls.listForSession(s1)).length, 3)
    assert.match(JSON.stringify(await bench.events(s1, 'fix_log')), /no plan of an agent, the rules of order/)
    const laid = await bench.run('applyPlan', { sessionId: s1, stepId: 'plan.p1.apply', answered: [], edits: [] })
    assert.deepEqual(
      laid.stages.flatMap(({ batches }) => batches.flatMap(({ steps }) => steps)),
      [['A', 'B']],
    )
  })
})
