import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApp } from '../../../src/app/context.ts'
import { cancelSession } from '../../../src/app/session/cancel-session.ts'
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
