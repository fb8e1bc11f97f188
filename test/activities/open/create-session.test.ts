// What becomes of an order, whoever else is at its work, and that it becomes one session whenever its worker dies over it.
import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { OrderCheck } from '../../../src/activities/context.ts'
import { deriveOrderSessionId } from '../../../src/domain/session/idempotency-key.ts'
import { newSession } from '../../support/store.ts'
import { until } from '../../support/until.ts'
import { type Bench, dyingShop, setBench } from '../support.ts'

interface Asked {
  readonly runId?: string
  readonly input?: unknown
  readonly shop?: Bench['shop']
  readonly meanwhile?: () => Promise<unknown>
  /** When its workflow wanted it looked at; by default now. */
  readonly orderedAt?: number
}

type Prepared = (OrderCheck & { readonly kind: 'ready' })['prepared']

const FINDING = { issue_code: 'A', title: 'One', description: 'One', file: 'src/app.py', severity: 'low' } as const

async function setOrders(t: TestContext) {
  const bench = await setBench(t)
  const { repository, store } = bench
  const order = { repository, findings: [FINDING] }
  const session = newSession('prepared', { repository, key: 'the key', issue_ids: [] })
  const prepared = { session, findings: [FINDING], obstacle: undefined, notes: ['a note'] }
  const ready = (more: Partial<Prepared> = {}): OrderCheck => ({ kind: 'ready', prepared: { ...prepared, ...more } })
  let closed = 0
  const cancelled: string[] = []
  return {
    ...bench,
    ready,
    prepared: session,
    closed: () => closed,
    cancelled,
    /** Another door's session of the same work. */
    begin: (more: object = {}) => store.createSession({ ...session, session_id: 'other', ...more }, [FINDING]),
    /** `meanwhile`: after everything was looked at, before anything is written. */
    async create(checked: OrderCheck = ready(), { runId = 'run', input = order, ...more }: Asked = {}) {
      const closeOrphans = async (): Promise<void> => {
        closed += 1
        await more.meanwhile?.()
      }
      const cancel = async ({ session_id }: { session_id: string }): Promise<void> => void cancelled.push(session_id)
      const ports = { check: async () => checked, answer: async () => undefined, closeOrphans, cancel }
      const shop = { ...(more.shop ?? bench.shop), orders: ports }
      const info = {
        workflowExecution: { workflowId: 'mine', runId },
        scheduledTimestampMs: more.orderedAt ?? Date.now(),
      }
      return await bench.run('createSession', { order: input }, { shop, info })
    },
  }
}

test('an order: becomes a session that knows its workflow, with the notes of its start in its log', async (t) => {
  const desk = await setOrders(t)
  const sessionId = deriveOrderSessionId({ workflowId: 'mine', runId: 'run' })
  const { repository } = desk
  const created = { kind: 'created', sessionId, homeQueue: 'host', repository: basename(repository), attributes: [] }
  assert.deepEqual(await desk.create(), created)
  assert.deepEqual(await desk.create(), created, 'asked again, it is the same')
  const [session, ...more] = await desk.store.sessions.list()
  assert.deepEqual([session?.workflow_id, session?.run_id, more], ['mine', 'run', []])
  const events = await desk.store.events.listAll(sessionId)
  assert.deepEqual(
    events.map(({ type, message }) => [type, message]),
    [['fix_log', 'a note']],
  )
})

test('an order: is one session, also when its worker dies before or after any write and another takes it up', async (t) => {
  const desk = await setOrders(t)
  for (let nth = 1; ; nth += 1) {
    let hasDied = false
    for (const when of ['before', 'after'] as const) {
      const runId = `${nth}-${when}`
      const key = `key ${runId}`
      const checked = desk.ready({ session: { ...desk.prepared, key } })
      const dying = dyingShop(desk.shop, nth, when)
      const first = await desk
        .create(checked, { runId, shop: dying.shop })
        .catch((error: { type?: string }) => error.type)
      hasDied ||= dying.died()
      if (dying.died()) assert.equal(first, 'Dead')
      const again = await desk.create(checked, { runId })
      assert.equal(again.kind, 'created')
      assert.equal((await desk.store.sessions.list({ key })).length, 1, `died ${when} call ${nth} of the store`)
    }
    if (!hasDied) break
  }
})

test('an order: two attempts at once, as when the first was given up too early, are one session', async (t) => {
  const desk = await setOrders(t)
  const both = Promise.withResolvers<void>()
  const meanwhile = async (): Promise<void> => {
    if (desk.closed() === 2) both.resolve()
    await both.promise
  }
  const [one, two] = await Promise.all([1, 2].map(() => desk.create(desk.ready(), { meanwhile })))
  assert.equal(one?.kind, 'created')
  assert.deepEqual(one, two)
  assert.equal((await desk.store.sessions.list()).length, 1)
})

test('an order: whose work a session is at joins it, whether or not it could begin, and writes nothing else', async (t) => {
  const desk = await setOrders(t)
  await desk.begin({ workflow_id: 'theirs', run_id: 'their run' })
  const joined = { kind: 'answered', summary: { sessionId: 'other', status: 'joined', workflowId: 'theirs' } }
  const obstacle = { kind: 'refused', code: 'branch_unusable', problems: ['taken'] } as const
  assert.deepEqual(await desk.create(), joined)
  assert.deepEqual(await desk.create(desk.ready({ obstacle }), { runId: 'second' }), joined)
  assert.deepEqual(await desk.create(), joined, 'asked again, it is the same')
  const events = await desk.store.events.listAll('other')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['fix_session_joined', 'fix_session_joined'],
  )
  assert.equal((await desk.store.sessions.list()).length, 1)
  assert.equal(desk.closed(), 3, 'the dead are closed before any is joined')
})

test('an order: waits for a command that has put its session down and not started it yet', async (t) => {
  const desk = await setOrders(t)
  await desk.begin()
  await assert.rejects(desk.create(), /session other is about to be started/)
  await desk.store.sessions.update('other', { run_id: 'their run' })
  assert.equal((await desk.create()).kind, 'answered')
})

test('an order: is looked at again where a session of its work ends meanwhile, and refused where its branch is taken', async (t) => {
  const desk = await setOrders(t)
  await desk.begin()
  const meanwhile = () => desk.store.sessions.update('other', { status: 'partial' })
  await assert.rejects(desk.create(desk.ready(), { meanwhile }), /session other of this work has just ended/)

  await desk.begin({ session_id: 'third', key: 'another', branch_name: 'fix/it' })
  const onBranch = desk.ready({ session: { ...desk.prepared, key: 'mine', branch_name: 'fix/it' } })
  const refused = await desk.create(onBranch, { runId: 'on branch' })
  assert.ok(refused.kind === 'refused')
  assert.deepEqual([refused.code, refused.problems.length], ['branch_unusable', 1])
})

test('an order: what can’t be used is refused with a code, in no more words than a history should keep', async (t) => {
  const desk = await setOrders(t)
  const problems = Array.from({ length: 60 }, () => 'x'.repeat(2000))
  const refused = await desk.create({ kind: 'refused', code: 'findings_invalid', problems })
  assert.ok(refused.kind === 'refused')
  assert.deepEqual(
    [refused.code, refused.problems.length, refused.problems.at(-1)],
    ['findings_invalid', 51, 'and 10 more'],
  )
  assert.ok(refused.problems.every(({ length }) => length <= 1000))
  const malformed = await desk.create(undefined, { input: null })
  assert.equal(malformed.kind === 'refused' && malformed.code, 'bad_input')
  assert.deepEqual(await desk.store.sessions.list(), [])
})

test('an order: of a session that was closed before anybody heard of it answers with that end', async (t) => {
  const desk = await setOrders(t)
  const created = await desk.create()
  assert.ok(created.kind === 'created')
  const { sessionId } = created
  const closed = await desk.run('closeSession', { sessionId, outcomes: {}, at: Date.now() })
  assert.deepEqual(await desk.create(), { kind: 'answered', summary: closed })
})

test('an order: a forced one cancels an older session of its work once, waits for its end, and joins one that began since', async (t) => {
  const desk = await setOrders(t)
  await desk.begin({ run_id: 'their run' })
  const force = { input: { repository: desk.repository, findings: [FINDING], force: true }, orderedAt: Date.now() + 1 }
  await assert.rejects(desk.create(desk.ready(), force), /session other is cancelled for this forced order, and ending/)
  const taken = { key: 'm1', name: 'cancel', outcome: 'taken', response: '', by: 'x', from: 'y', at: 1 } as const
  await desk.store.messages.add('other', [taken])
  await assert.rejects(desk.create(desk.ready(), force), /the order is looked at again/)
  assert.deepEqual(desk.cancelled, ['other'], 'it is told once')
  const since = await desk.create(desk.ready(), { ...force, orderedAt: 0 })
  assert.equal(since.kind === 'answered' && since.summary.status, 'joined')
  await desk.store.sessions.update('other', { status: 'cancelled' })
  const ended = Date.parse(`${(await desk.store.sessions.get('other'))?.ended_at}`)
  await until('its end is past', async () => Date.now() > ended)
  assert.equal((await desk.create(desk.ready(), { ...force, runId: 'again' })).kind, 'created')
})
