// What a report says of the sandbox: what was asked for, and what each call really had.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildReport } from '../../../src/app/report/build-report.ts'
import { renderReport } from '../../../src/app/report/render/formats.ts'
import type { NewEvent } from '../../../src/domain/session/events.ts'
import { addSession, setDesk } from '../../cli/support.ts'

test('a report says in which sandbox the agents ran: as asked, as each call had it, and nothing where nobody knows', async (t) => {
  const desk = await setDesk(t)
  const report = async (id: string) => {
    const session = await desk.store.sessions.get(id)
    assert.ok(session)
    return await buildReport(desk.store, desk.home, session)
  }
  await addSession(desk, 'fx-old', ['A'], { task_id: 'old' })
  const old = await report('fx-old')
  assert.deepEqual(old.sandbox, { mode: null, found: [] })
  assert.doesNotMatch(renderReport(old, 'md'), /agents ran in/)

  await addSession(desk, 'fx-new', ['A'], { settings: { sandbox: { mode: 'auto' } } })
  const event = (key: string, type: NewEvent['type'], sandbox: string): NewEvent => {
    return { key, type, message: 'x', data: { sandbox } }
  }
  await desk.store.events.append('fx-new', [event('s', 'fix_session_started', 'files')])
  assert.deepEqual((await report('fx-new')).sandbox, { mode: 'auto', found: ['files'] })
  await desk.store.events.append(
    'fx-new',
    ['processes', 'none', 'processes', 'what?'].map((name, index) => event(`${index}`, 'fix_call_completed', name)),
  )
  const found = await report('fx-new')
  assert.deepEqual(found.sandbox.found, ['processes', 'none'], 'on another machine than where it was begun')
  const words =
    /agents ran in(\*\*|<\/strong>) a process namespace only: .*; some in no sandbox \(sandbox\.mode: auto\)/
  for (const format of ['md', 'html'] as const) assert.match(renderReport(found, format), words)
  const [run] = JSON.parse(renderReport(found, 'sarif')).runs
  assert.deepEqual(run.properties.sandbox, found.sandbox)
})
