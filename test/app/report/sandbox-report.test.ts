// What a report says of the sandbox: what was asked for, and what each call really had.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildReport } from '../../../src/app/report/build-report.ts'
import { renderReport } from '../../../src/app/report/render/formats.ts'
import { fixCallCompleted } from '../../../src/domain/session/events/agent-call-events.ts'
import { fixSessionStarted } from '../../../src/domain/session/events/session-events.ts'
import { DEFAULTS } from '../../activities/support.ts'
import { addSession, setDesk } from '../../cli/support.ts'

test('a report says in which sandbox the agents ran: as asked, as each call had it, and nothing where nobody knows', async (t) => {
  const desk = await setDesk(t)
  const report = async (id: string) => {
    const session = await desk.store.sessions.get(id)
    assert.ok(session)
    return await buildReport(desk, session)
  }
  await addSession(desk, 'fx-new', ['A'])
  const begun = await report('fx-new')
  assert.deepEqual(begun.sandbox, { mode: 'auto', found: [] })
  assert.doesNotMatch(renderReport(begun, 'md'), /agents ran in/)

  const budgets = DEFAULTS.budgets
  await desk.store.events.append('fx-new', [
    fixSessionStarted({ repository: '/r', profile: 'verify', max_iterations: 1, sandbox: 'files', budgets }, 1),
  ])
  assert.deepEqual((await report('fx-new')).sandbox, { mode: 'auto', found: ['files'] })
  const sandboxes = ['processes', 'none', 'processes', undefined] as const
  await desk.store.events.append(
    'fx-new',
    sandboxes.map((sandbox, index) => {
      const report = { model: 'm', models_tried: [], tokens: {}, durationMs: 1, notes: [], sandbox }
      return fixCallCompleted({ role: 'fixer', call: `s${index}.fix`, attempt: 1, codes: ['A'] }, report)
    }),
  )
  const found = await report('fx-new')
  assert.deepEqual(found.sandbox.found, ['processes', 'none'], 'on another machine than where it was begun')
  const words =
    /agents ran in(\*\*|<\/strong>) a process namespace only: .*; some in no sandbox \(sandbox\.mode: auto\)/
  for (const format of ['md', 'html'] as const) assert.match(renderReport(found, format), words)
  const [run] = JSON.parse(renderReport(found, 'sarif')).runs
  assert.deepEqual(run.properties.sandbox, found.sandbox)
})
