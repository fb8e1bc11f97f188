// The client for scripts: what it refuses, what it joins, how it decides, and what it says when it is too late.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Fixwright, openFixwright, type StartResult } from '../../src/app/index.ts'
import { addSession, endSession, setDesk } from '../cli/support.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'

async function open(t: { after(end: () => void): void }, stage: E2eStage): Promise<Fixwright> {
  const fixwright = await openFixwright({ env: stage.environment, by: 'kim', from: 'a test' })
  t.after(() => fixwright.close())
  return fixwright
}

function sessionOf(start: StartResult): string {
  assert.ok(start.kind === 'started' || start.kind === 'joined', JSON.stringify(start))
  return start.session
}

describe('the client for scripts', { concurrency: 2 }, () => {
  test('a session is started once, its plan approved, and it ends; a second start joins it, a third gets its result', async (t) => {
    const stage = await setMadeStage(t, 2)
    const fixwright = await open(t, stage)
    const order = {
      findings: stage.made.findings,
      repository: stage.repository,
      settings: { 'people.approve_plan': true },
    }
    const first = await fixwright.start(order)
    const session = sessionOf(first)
    assert.deepEqual(await fixwright.start(order), { kind: 'joined', session })
    const waiting = await fixwright.wait(session, { forPeople: true })
    assert.equal(waiting.waiting?.kind, 'plan')
    const refused = await fixwright.decidePlan(session, { decision: 'edit', edit: { drop: ['T-009'] } })
    assert.deepEqual(refused, { kind: 'refused', code: 'message_refused', reason: 'the plan has no issue T-009' })
    const malformed = await fixwright.decidePlan(session, { decision: 'reject' })
    assert.deepEqual(malformed.kind, 'refused')
    assert.equal((await fixwright.decidePlan(session, { decision: 'approve' })).kind, 'taken')
    const ended = await fixwright.wait(session)
    assert.deepEqual([ended.status, ended.counts.fixed], ['completed', 2])
    assert.equal((await fixwright.status(session)).plan?.approved_by, 'kim (claimed)')
    const again = await fixwright.start(order)
    assert.ok(again.kind === 'done' && again.result.session_id === session)
    fixwright.close()
    await checkInvariants(stage)
  })

  test('a waiting session is cancelled, and whoever watches sees it end', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: { clarify: [{ questions: [{ question: 'Why?' }] }] } })
    const fixwright = await open(t, stage)
    const settings = { 'people.clarify': true }
    const start = await fixwright.start({ findings: stage.made.findings, repository: stage.repository, settings })
    const session = sessionOf(start)
    await fixwright.wait(session, { forPeople: true })
    const types: string[] = []
    const watching = (async () => {
      for await (const { type } of fixwright.watch(session)) types.push(type)
    })()
    assert.equal((await fixwright.cancel(session, 'not now')).kind, 'taken')
    await watching
    assert.equal(types.at(-1), 'fix_session_cancelled')
    const state = await fixwright.wait(session)
    assert.match(state.ending?.reason ?? '', /cancelled by kim \(claimed\): not now/)
    fixwright.close()
    await checkInvariants(stage, 'cancelled')
  })

  test('what is wrong is said before anything is started', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-one', ['A'])
    await addSession(desk, 'fx-other', ['B'], { task_id: 'other' })
    await endSession(desk, 'fx-one')
    const fixwright = await openFixwright({ home: desk.home.path, env: desk.environment, by: 'kim' })
    desk.beforeEnd(() => fixwright.close())
    await assert.rejects(fixwright.status('fx-none'), /there is no session fx-none/)
    await assert.rejects(fixwright.status('fx-o'), /"fx-o" is the beginning of several sessions: fx-one, fx-other/)
    assert.deepEqual(await fixwright.answer('fx-one', { answers: { 'A-q1': 'yes' } }), { kind: 'ended' })
    const [late] = await desk.store.messages.listForSession('fx-one')
    assert.deepEqual([late?.outcome, late?.by, late?.name], ['refused', 'kim (claimed)', 'answerClarification'])
    const start = await fixwright.start({ findings: {}, repository: desk.folder })
    assert.ok(start.kind === 'refused' && /is no git repository/.test(start.problems.join()))
    const unknown = await fixwright.start({ findings: {}, repository: desk.folder, settings: { nonsense: 1 } })
    assert.equal(unknown.kind, 'refused')
    const waiting = fixwright.watch('fx-other', { signal: AbortSignal.timeout(50) })
    assert.deepEqual(await waiting.next(), { done: true, value: undefined }, 'whoever loses patience just leaves')
  })
})
