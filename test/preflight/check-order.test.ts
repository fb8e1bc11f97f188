// An order as the worker looks at it: by the same code as `fix`, so that the same work has the same key, and within what the operator allows.
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Order } from '../../src/domain/session/parse-order.ts'
import type { Settings } from '../../src/domain/settings/schema.ts'
import { checkOrder } from '../../src/preflight/check-order.ts'
import { loadSettings } from '../../src/runtime/settings/merge-settings.ts'
import { FINDINGS, setDesk } from '../runtime/support.ts'
import { insertIssues } from '../support/store.ts'

/** Anything that is there: no agent is called. */
const TOOLS = { FIXWRIGHT_CLAUDE_COMMAND: 'sh', FIXWRIGHT_GEMINI_COMMAND: 'sh' }

async function setOrders(t: TestContext) {
  const desk = await setDesk(t)
  const env = { ...desk.env, ...TOOLS }
  const { settings } = loadSettings({ home: desk.theirs, env })
  const order: Order = { repository: desk.repository, findings: FINDINGS }
  const check = (more: Partial<Order> = {}, own: Partial<Settings> = {}) =>
    checkOrder(
      { kind: 'fix', order: { ...order, ...more } },
      { home: desk.theirs, store: desk.store, env, settings: { ...settings, ...own } },
    )
  return {
    ...desk,
    settings,
    check,
    async ready(more: Partial<Order> = {}, own: Partial<Settings> = {}) {
      const checked = await check(more, own)
      assert.ok(checked.kind === 'ready', JSON.stringify(checked))
      return checked.prepared
    },
    async refusal(more: Partial<Order> = {}, own: Partial<Settings> = {}) {
      const checked = await check(more, own)
      assert.ok(checked.kind === 'refused', JSON.stringify(checked))
      return `${checked.code}: ${checked.problems.join('\n')}`
    },
  }
}

test('an order: the same work has the same key as for `fix`, with findings, or with issues that the store knows', async (t) => {
  const desk = await setOrders(t)
  const { session } = await desk.prepare().then((prepared) => {
    assert.ok(prepared.kind === 'ready')
    return prepared
  })
  const ordered = await desk.ready()
  assert.equal(ordered.session.key, session.key)
  await insertIssues(desk.store, session.repository, session.task_id, ordered.findings)
  const known = await desk.ready({ findings: undefined, issueIds: [...session.issue_ids] })
  assert.deepEqual([known.session.key, known.session.issue_ids], [session.key, session.issue_ids])
})

test('an order: the report of a tool is taken as it is, and the session’s notes say what of it', async (t) => {
  const desk = await setOrders(t)
  const diagnostics = [{ message: 'It is wrong.', location: { path: 'src/app.py', range: { start: { line: 1 } } } }]
  const { findings, notes } = await desk.ready({ findings: { source: { name: 'Ruff' }, diagnostics } })
  assert.deepEqual(
    findings.map(({ file, line, title }) => [file, line, title]),
    [['src/app.py', '1', 'It is wrong.']],
  )
  assert.equal(notes[0], 'the findings: read as rdjson: 1 of 1 results taken (Ruff)')
  const elsewhere = { source: {}, diagnostics: [{ message: 'm', location: { path: 'x.py' } }] }
  assert.match(
    await desk.refusal({ findings: elsewhere }),
    /^findings_invalid: the findings: none of its findings is about a file/,
  )
})

test('an order: issues of another repository, or of several tasks, are refused', async (t) => {
  const desk = await setOrders(t)
  const [finding] = (await desk.ready()).findings
  assert.ok(finding)
  const [one] = await insertIssues(desk.store, desk.repository, 'one', [finding])
  const [two] = await insertIssues(desk.store, desk.repository, 'two', [finding])
  const [other] = await insertIssues(desk.store, '/elsewhere', 'one', [finding])
  const ids = (...issues: ({ readonly issue_id: string } | undefined)[]) => ({
    findings: undefined,
    issueIds: issues.map((issue) => issue?.issue_id ?? ''),
  })
  assert.match(await desk.refusal(ids(one, other)), /^issue_not_found: the worker knows no issue iss-\w+ of /)
  assert.match(await desk.refusal(ids(one, two)), /^issue_not_found: the issues belong to several tasks \(one, two\)/)
})

test('an order: a repository counts only where the operator takes orders for it, links followed', async (t) => {
  const desk = await setOrders(t)
  const link = join(desk.home, 'link')
  symlinkSync(desk.repository, link)
  const [inside, outside] = [
    { repositories: [link] },
    { repositories: [join(desk.home, 'elsewhere'), `${desk.repository}x`] },
  ]
  assert.equal((await desk.ready({ repository: link }, { orders: inside })).session.repository, desk.repository)
  for (const orders of [outside, { repositories: [] }]) {
    assert.match(
      await desk.refusal({}, { orders }),
      /^repository_unusable: .* is not where this worker takes orders for/,
    )
  }
})

test('an order: it goes by the settings of the home and of the worker’s Temporal, and of its own by few', async (t) => {
  const desk = await setOrders(t)
  const temporal = { ...desk.settings.temporal, address: 'elsewhere:7233', port: 1 }
  const { settings, session } = await desk.ready({ settings: { 'people.clarify': true } }, { temporal })
  assert.deepEqual([settings.temporal, settings.people.clarify], [temporal, true])
  assert.deepEqual(session.settings, settings)
  assert.match(
    await desk.refusal({ settings: { 'claude.command': 'sh -c x' } }),
    /^settings_invalid: the order: claude\.command/,
  )
})

test('an order: its review and its notes are kept without their secrets, as those of `fix` are', async (t) => {
  const desk = await setOrders(t)
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const { reviewText, session } = await desk.ready({ review: `# Review\nuse ${secret}\n`, notes: `and ${secret}` })
  assert.match(reviewText ?? '', /^# Review\nuse «secret:github:/)
  assert.doesNotMatch(session.user_notes ?? secret, /ghp_/)
  assert.match(await desk.refusal({ review: 'x'.repeat(2 ** 20 + 1) }), /^context_invalid: the review would be longer/)
})

test('an order: a worker without the CLIs refuses it, and says how to get them', async (t) => {
  const desk = await setOrders(t)
  const env = { ...desk.env, ...TOOLS, FIXWRIGHT_CLAUDE_COMMAND: 'no-such-claude' }
  const order = { repository: desk.repository, findings: FINDINGS }
  const { settings, store, theirs: home } = desk
  const checked = await checkOrder({ kind: 'fix', order }, { home, store, env, settings })
  assert.ok(checked.kind === 'refused', JSON.stringify(checked))
  assert.deepEqual([checked.code, checked.problems.length], ['command_missing', 1])
  assert.match(checked.problems.join(), /no-such-claude/)
})

test('an order for a review or for votes: only in the folders of the operator, and by the operator’s settings', async (t) => {
  const { env, settings, store, theirs: home, repository } = await setOrders(t)
  const elsewhere = { ...settings, orders: { ...settings.orders, repositories: [] } }
  for (const kind of ['review', 'review-fix', 'votes'] as const) {
    const check = (order: object, own = settings) =>
      checkOrder({ kind, order: { repository, ...order } }, { home, store, env, settings: own })
    const forbidden = await check({}, elsewhere)
    assert.ok(forbidden.kind === 'refused')
    assert.match(forbidden.problems.join(), /is not where this worker takes orders for/)
    // Nothing has changed since the base, which is only known after the settings of the order were.
    const nothing = await check({ settings: { 'budgets.session_usd': 1 } })
    assert.ok(nothing.kind === 'refused')
    assert.match(nothing.problems.join(), /changes nothing that|has nothing that/)
  }
})
