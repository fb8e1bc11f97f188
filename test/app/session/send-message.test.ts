// What somebody says is about what they saw, also when the session has gone on by the time that it hears it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AppContext } from '../../../src/app/context.ts'
import { type MessageResult, sendToSession, type UnsignedMessage } from '../../../src/app/session/send-message.ts'
import type { MessageRefusalCode } from '../../../src/domain/errors/error-codes.ts'
import type { MessageName } from '../../../src/domain/people/message-schemas.ts'
import type { OpenDecision } from '../../../src/domain/session/session.ts'
import type { PlanningRules } from '../../../src/domain/workflow-types/index.ts'
import { temporaryStore } from '../../store/support.ts'
import { insertSession, newSession } from '../../support/store.ts'
import { type StubSession, stubSession } from '../../support/stub-session.ts'
import { until } from '../../support/until.ts'

const TALK: PlanningRules = {
  clarify: true,
  planner: 'rules',
  approvePlan: true,
  maxClarifyRounds: 3,
  maxPlanRejections: 1,
}

/** Tells a session something, of which the store still shows what was open before. */
async function teller(t: TestContext, session: StubSession) {
  const store = await temporaryStore(t)
  const workflow_id = session.workflowId
  await insertSession(store, newSession(workflow_id, { workflow_id }))
  const instance = { current: () => ({ client: session.client }), joined: () => undefined }
  const app = { store, instance, sender: { by: 'kim', from: 'test' } } as unknown as AppContext
  return async <Name extends MessageName>(
    shown: OpenDecision,
    name: Name,
    message: UnsignedMessage<Name>,
  ): Promise<MessageResult> => {
    await store.sessions.update(workflow_id, { decision: shown })
    const record = await store.sessions.get(workflow_id)
    assert.ok(record)
    return await sendToSession(app, record, name, message)
  }
}

function refused(reason: string, code: MessageRefusalCode): MessageResult {
  return { kind: 'refused', code, reason }
}

test('a skip and a decision are for what is on show, not for what came after it', async (t) => {
  const session = await stubSession(
    t,
    { planning: TALK },
    {
      clarify: async ({ round }) => {
        const question = { id: `A-q${round}`, code: 'A', question: `${round}?`, context: '' }
        return { ready: round > 2, questions: round > 2 ? [] : [question], reused: [], message: '' }
      },
    },
  )
  const isOpen = (request: string) =>
    until(`${request} is open`, async () => (await session.view()).open?.request === request)
  const tell = await teller(t, session)
  const questions = (request: string): OpenDecision => ({ kind: 'clarification', request, questions: [] })
  await isOpen('clarify.r1')
  await session.update('answerClarification', { answers: { 'A-q1': 'yes' } })
  await isOpen('clarify.r2')
  const late = await tell(questions('clarify.r1'), 'answerClarification', { skip: true })
  assert.deepEqual(late, refused('there is nothing to skip: all that was asked is answered', 'already_decided'))
  await session.update('answerClarification', { answers: { 'A-q2': 'no' } })

  await isOpen('plan.p1')
  const edit = { drop: ['B'] }
  await session.update('decidePlan', { decision: 'edit', edit })
  await isOpen('plan.p1.e1')
  const unseen = await tell({ kind: 'plan', request: 'plan.p1' }, 'decidePlan', { decision: 'approve' })
  assert.deepEqual(unseen, refused('"plan.p1" was decided already, differently', 'already_decided'))
  const again = await tell({ kind: 'plan', request: 'plan.p1' }, 'decidePlan', { decision: 'edit', edit })
  assert.equal(again.kind, 'repeated')
  const later = await tell({ kind: 'plan', request: 'plan.p1.e1' }, 'decidePlan', { decision: 'edit', edit })
  assert.deepEqual(later, refused('the plan has no issue B', 'message_refused'))
})
