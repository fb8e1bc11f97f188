import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApp } from '../../../src/app/context.ts'
import { cancelSession } from '../../../src/app/session/cancel-session.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { insertSession, newSession } from '../../support/store.ts'
import { setInstance } from '../instance/support.ts'

test('cancelSession leaves a session alone whose start is still on its way to a workflow, and says to try again', async (t) => {
  const { env } = await setInstance(t)
  const app = await openApp({ env })
  t.after(() => app.close())
  const session = await insertSession(app.store, newSession('fx-starting'))
  const cancelled = cancelSession(app, session, { onEvent: () => undefined })
  await assert.rejects(cancelled, { code: 'still_running', message: /has not started yet; try again in a minute/ })
  assert.equal((await app.store.sessions.get('fx-starting'))?.ended_at, undefined)
})

test('cancelSession forgets a session that a running instance could not start for minutes', async (t) => {
  const { env } = await setInstance(t)
  const app = await openApp({ env })
  t.after(() => app.close())
  const earlier = await openStore(app.home.database, { now: () => new Date(Date.now() - 120_000) })
  t.after(() => earlier.close())
  const session = await insertSession(earlier, newSession('fx-untaken'))
  assert.equal(await cancelSession(app, session, { onEvent: () => undefined }), undefined)
  assert.equal(await app.store.sessions.get('fx-untaken'), undefined)
})
