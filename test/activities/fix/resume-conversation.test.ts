// One conversation from the first question to the last fix, with the real CLI: what each call goes on from, what its prompt leaves
// out because the conversation holds it, and what happens where the conversation is gone.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { storeGateRecord } from '../../../src/activities/gate-records.ts'
import type { ChallengeVerdict } from '../../../src/domain/stage/reply-schemas.ts'
import { answer, blocksOf, fixInput, sentIn, setTalk, type TalkBench } from '../plan/support.ts'
import { DEFAULTS } from '../support.ts'

const FILES = { A: 'src/app.py', B: 'run.sh' }
const edit = (file: string, old: string, now: string) => ({ tool: 'edit' as const, file, old, new: now })

const SCENARIO = {
  clarify: [{ questions: [{ issue_code: 'A', question: 'Two or three?' }] }],
  plan: { issues: { A: { approach: 'Return the other number.' } } },
  issues: {
    A: {
      fixes: [
        { steps: [edit('src/app.py', 'return 1', 'return 2')] },
        { steps: [edit('src/app.py', 'return 2', 'return 3'), edit('src/app.py', 'return 1', 'return 3')] },
      ],
    },
    B: { fixes: [{ steps: [edit('run.sh', 'echo hi', 'echo ho')] }] },
  },
}

/** As far as the first fix: a question, its answer, a plan. */
async function planned(bench: TalkBench, id: string, settings = {}, notes?: string) {
  const session = notes === undefined ? {} : { user_notes: notes }
  const ask = { people: { ...DEFAULTS.people, clarify: true, approve_plan: true }, ...settings }
  await bench.session(id, FILES, ask, session)
  const opened = await bench.run('openSession', { sessionId: id })
  const one = await bench.run('clarify', { sessionId: id, stepId: 'clarify.r1', round: 1, answered: [] })
  const answered = [answer(one.questions[0], 'two, for now')]
  const said = { sessionId: id, answered }
  const { plan, conversation } = await bench.run('planFixes', { ...said, stepId: 'plan.p1', resume: one.conversation })
  const laid = await bench.run('applyPlan', { ...said, stepId: 'plan.p1.apply', plan, edits: [] })
  return { opened: { ...opened, brief: laid.brief }, clarified: one.conversation, conversation }
}

async function judged(bench: TalkBench, id: string, feedback: string): Promise<string[]> {
  const call = 's1.i1.challenge'
  const verdicts = { A: { score: 40, feedback, improvements_needed: [], points: [] } satisfies ChallengeVerdict }
  await storeGateRecord(bench.shop, await loadSession(bench.shop, id), call, { tree: '', verdicts })
  return [call]
}

describe('one conversation', { concurrency: 2 }, () => {
  test('from the question over the plan and the fix to the re-fix: what was said stays, and is not said again [S1-12, S1-13, S1-14, S2-21]', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    const { opened, clarified, conversation: resume } = await planned(bench, id, {}, 'Please keep it short.')
    const fixed = await bench.run('fixBatch', fixInput(id, opened, ['A'], { resume }))
    const feedback = await judged(bench, id, 'It has to be three.')
    const start = [{ snapshot: 's1.i1.b1.fix', codes: ['A'] }]
    const again = { stepId: 's1.i2.b1.fix', iteration: 2, start, feedbackStepIds: feedback, resume: fixed.conversation }
    const refixed = await bench.run('fixBatch', fixInput(id, opened, ['A'], again))
    assert.equal(refixed.work.issues.A?.files, 1)

    const stages = [clarified, resume, fixed.conversation, refixed.conversation]
    const ids = stages.map((each) => each?.id)
    assert.equal(new Set(ids).size, 4, `each stage forks: ${ids}`)
    const costs = stages.map((each) => each?.costUsd ?? 0)
    assert.ok(
      costs.every((cost, index) => cost > (costs[index - 1] ?? 0)),
      `the CLI counts on: ${costs}`,
    )
    const spent = (await bench.store.agentCalls.listForSession(id)).reduce((sum, { cost_usd = 0 }) => sum + cost_usd, 0)
    assert.ok(Math.abs(spent - (costs.at(-1) ?? 0)) < 1e-9, 'and each call costs its own part')

    const [clarifier, planner, fixer, reFixer] = ['clarifier', 'planner', 'fixer', 're_fixer'].map(
      (role) => bench.asked(role)[0],
    )
    assert.ok(blocksOf(clarifier).has('issues') && blocksOf(clarifier).get('notes') === 'Please keep it short.')
    for (const call of [planner, fixer, reFixer]) {
      assert.equal(blocksOf(call).has('issues'), false, `${call?.role}`)
      assert.ok(
        sentIn(call).includes('Two or three?') && sentIn(call).includes('Please keep it short.'),
        `${call?.role}`,
      )
    }
    assert.ok(
      sentIn(fixer).includes('Return the other number.') && sentIn(reFixer).includes('Return the other number.'),
    )
    for (const call of [fixer, reFixer]) assert.equal(blocksOf(call).get('notes'), 'Please keep it short.')
    for (const call of [fixer, reFixer]) assert.match(blocksOf(call).get('answers') ?? '', /two, for now/)
    assert.match(blocksOf(fixer).get('tree') ?? '', /Nothing else is changed/)

    // The re-fixer made this very tree, so it is told so and not shown it.
    assert.equal(blocksOf(reFixer).get('tree'), 'The tree is exactly as you left it: changes in src/app.py.')
    assert.deepEqual([blocksOf(reFixer).has('diff'), blocksOf(reFixer).has('claims')], [false, false])
    assert.match(blocksOf(reFixer).get('feedback') ?? '', /It has to be three/)
  })

  test('the notes of a person reach every fixing prompt, also where nothing was said before [S2-21, S2-35]', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    await bench.session(id, FILES, {}, { user_notes: 'Mind the tests.' })
    const opened = await bench.run('openSession', { sessionId: id })
    await bench.run('fixBatch', fixInput(id, opened, ['A']))
    await bench.run('fixBatch', fixInput(id, opened, ['B'], { stepId: 's2.i1.b1.fix', stage: 2 }))
    for (const call of bench.asked('fixer')) assert.equal(blocksOf(call).get('notes'), 'Mind the tests.')
    assert.equal(bench.asked('fixer').length, 2)
  })

  test('each stage goes on from the plan and hears nothing of the others', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    const { opened, conversation: resume } = await planned(bench, id)
    await bench.run('fixBatch', fixInput(id, opened, ['A'], { resume }))
    // Meanwhile the first stage was committed: the tree is not the one that was planned on.
    const { tree, base } = bench.workspace(id)
    bench.git(['-C', tree, '-c', 'user.name=x', '-c', 'user.email=x@y', 'status'], tree)
    const own = bench.workspace(id).gitDir
    const head = bench.git(['-C', own, 'rev-parse', 'refs/fixwright/s1.i1.b1.fix'])
    assert.notEqual(head, base)
    await bench.run('fixBatch', fixInput(id, opened, ['B'], { stepId: 's2.i1.b1.fix', stage: 2, head, resume }))
    const second = bench.asked('fixer')[1]
    assert.ok(sentIn(second).includes('Two or three?'))
    assert.ok(!sentIn(second).includes('return 2'), 'it has not heard of the first stage’s edit')
    assert.match(
      blocksOf(second).get('tree') ?? '',
      /Fixes were committed since you looked, which changed src\/app\.py/,
    )
  })

  test('answers to one issue’s questions stand in no other issue’s prompt', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    const { opened } = await planned(bench, id)
    await bench.run('fixBatch', fixInput(id, opened, ['B']))
    const prompt = sentIn(bench.asked('fixer')[0])
    assert.ok(!prompt.includes('two, for now') && !prompt.includes('Return the other number'))
    const own = blocksOf(bench.asked('fixer')[0])
    assert.deepEqual([own.has('answers'), own.has('plan')], [false, true])
  })

  test('a tree that this conversation did not make is shown to it', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    const { opened, conversation: resume } = await planned(bench, id)
    const fixed = await bench.run('fixBatch', fixInput(id, opened, ['A'], { resume }))
    const other = { stepId: 's1.i1.b2.fix', start: [{ snapshot: 's1.i1.b1.fix', codes: ['A'] }], resume }
    await bench.run('fixBatch', fixInput(id, opened, ['B'], other))
    const start = [
      { snapshot: 's1.i1.b1.fix', codes: ['A'] },
      { snapshot: 's1.i1.b2.fix', codes: ['B'] },
    ]
    const feedback = await judged(bench, id, 'No.')
    const again = { stepId: 's1.i2.b1.fix', iteration: 2, feedbackStepIds: feedback, resume: fixed.conversation }
    await bench.run('fixBatch', fixInput(id, opened, ['A'], { ...again, start }))
    const mixed = blocksOf(bench.asked('re_fixer')[0])
    assert.match(mixed.get('tree') ?? '', /not as you left it: it holds the work so far, shown in the block diff/)
    assert.match(mixed.get('diff') ?? '', /echo ho/)

    // The attempt was thrown away, and with it what that conversation remembers of it.
    await bench.run('fixBatch', fixInput(id, opened, ['A'], { ...again, stepId: 's1.i3.b1.fix', resume, start: [] }))
    const anew = blocksOf(bench.asked('re_fixer')[1])
    assert.match(anew.get('tree') ?? '', /as it was before any fix/)
  })

  test('an activity that is tried again goes on from where its completed call left the conversation, and pays for nothing twice', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    const { opened, conversation: resume } = await planned(bench, id)
    const input = fixInput(id, opened, ['A'], { resume })
    const first = await bench.run('fixBatch', input)
    const calls = bench.model.calls().length
    assert.deepEqual(await bench.run('fixBatch', input), first)
    // Also where the worker died between the call and its snapshot.
    rmSync(join(bench.workspace(id).gitDir, 'refs/fixwright/s1.i1.b1.fix'))
    assert.deepEqual((await bench.run('fixBatch', input)).conversation, first.conversation)
    assert.equal(bench.model.calls().length, calls)
    assert.ok((first.conversation?.tokens ?? 0) > 0)
  })

  test('the conversation of an answer that had to be repaired is the one that the repair was in', async (t) => {
    const faults = [
      { match: { role: 'fixer', at: 'reply', until: 2 }, fault: { kind: 'text', preset: 'broken-json' } },
    ] as const
    const bench = await setTalk(t, { ...SCENARIO, faults: [...faults] })
    const [id] = bench.ids
    await bench.session(id, FILES)
    const opened = await bench.run('openSession', { sessionId: id })
    const { conversation } = await bench.run('fixBatch', fixInput(id, opened, ['A']))
    const calls = await bench.store.agentCalls.listForSession(id)
    assert.deepEqual(
      calls.map(({ key }) => key),
      ['s1.i1.b1.fix', 's1.i1.b1.fix.repair'],
    )
    assert.equal(conversation?.id, calls[1]?.cli_session_id)
  })

  test('an issue of which a conversation never heard is not worked on in it', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    await bench.session(id, FILES)
    const opened = await bench.run('openSession', { sessionId: id })
    const { conversation: resume } = await bench.run('fixBatch', fixInput(id, opened, ['A']))
    assert.deepEqual(resume?.codes, ['A'])
    const other = { stepId: 's1.i1.b2.fix', resume }
    const { conversation } = await bench.run('fixBatch', fixInput(id, opened, ['B'], other))
    assert.deepEqual(conversation?.codes, ['B'])
    const asked = bench.asked('fixer')[1]
    assert.match(blocksOf(asked).get('issues') ?? '', /run\.sh/)
    assert.ok(!sentIn(asked).includes('return 2'))
    const feedback = await judged(bench, id, 'No.')
    const again = { stepId: 's1.i2.b1.fix', iteration: 2, feedbackStepIds: feedback, resume }
    const re = await bench.run('fixBatch', fixInput(id, opened, ['A'], again))
    assert.deepEqual(re.conversation?.codes, ['A'])
    assert.equal(blocksOf(bench.asked('re_fixer')[0]).has('issues'), false)
  })

  test('a call that was not completed leaves no conversation to go on with', async (t) => {
    const fault = { kind: 'http', preset: 'out-of-credit' } as const
    const bench = await setTalk(t, { ...SCENARIO, faults: [{ match: { role: 'fixer' }, fault }] })
    const [id] = bench.ids
    await bench.session(id, FILES)
    const opened = await bench.run('openSession', { sessionId: id })
    const outcome = await bench.run('fixBatch', fixInput(id, opened, ['A']))
    assert.deepEqual([outcome.failure?.class, outcome.conversation], ['billing', undefined])
  })

  test('where the conversation is gone, the call starts afresh with the whole context, and says so', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    const { opened, conversation: resume } = await planned(bench, id, {}, 'Please keep it short.')
    // In the sandbox they are the session's own.
    for (const place of [join(bench.user, '.claude/projects'), join(bench.shop.sessionsFolder, id, 'conversations')]) {
      rmSync(place, { recursive: true, force: true })
    }
    const outcome = await bench.run('fixBatch', fixInput(id, opened, ['A'], { resume }))
    assert.equal(outcome.work.issues.A?.files, 1)
    const blocks = blocksOf(bench.asked('fixer')[0])
    assert.match(blocks.get('issues') ?? '', /src\/app\.py/)
    assert.equal(blocks.get('notes'), 'Please keep it short.')
    assert.match(blocks.get('plan') ?? '', /Return the other number/)
    assert.match(blocks.get('answers') ?? '', /two, for now/)
    const told = (await bench.events(id, 'fix_log')).map(({ message }) => message)
    assert.ok(told.includes(`conversation ${resume?.id} is gone from this host: started afresh with the whole context`))
    assert.match(await bench.artifact(id, 'prompt', 's1.i1.b1.fix'), /<data name="issues"/)
    const [call] = (await bench.store.agentCalls.listForSession(id)).filter(({ key }) => key === 's1.i1.b1.fix')
    const [prompt] = await bench.store.artifacts.listForSession(id, { kind: 'prompt', name: 's1.i1.b1.fix' })
    assert.equal(call?.prompt_ref, prompt?.ref)
    assert.equal(outcome.conversation?.id, call?.cli_session_id)
    assert.ok(
      Math.abs((outcome.conversation?.costUsd ?? 0) - (call?.cost_usd ?? 1)) < 1e-9,
      'it counts from zero again',
    )
  })

  test('a conversation that has grown too long is compacted before it goes on [S2-28]', async (t) => {
    const bench = await setTalk(t, SCENARIO)
    const [id] = bench.ids
    const claude = { ...DEFAULTS.claude, max_session_tokens: 1000 }
    const { opened, conversation } = await planned(bench, id, { claude })
    assert.ok((conversation?.tokens ?? 0) > 1000)
    const compacted = () =>
      bench.model.calls().filter(({ body }) => /detailed summary of/i.test(JSON.stringify(body))).length
    const before = compacted()
    await bench.run('fixBatch', fixInput(id, opened, ['A'], { resume: { ...conversation!, tokens: 999 } }))
    assert.equal(compacted(), before)
    const long = { stepId: 's2.i1.b1.fix', resume: conversation }
    const outcome = await bench.run('fixBatch', fixInput(id, opened, ['B'], long))
    assert.equal(compacted(), before + 1)
    assert.equal(outcome.work.issues.B?.files, 1)
    // A summary may have left it out: the call that follows it is told everything again.
    const issues = bench.asked('fixer').map((prompt) => blocksOf(prompt).has('issues'))
    assert.deepEqual(issues, [false, true])
  })
})
