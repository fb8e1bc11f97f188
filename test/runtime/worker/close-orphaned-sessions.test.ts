// Closing what nobody works on any more. Real store, git and Temporal; the sessions were never started there.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, Connection } from '@temporalio/client'
import { closeOrphanedSessions } from '../../../src/runtime/worker/close-orphaned-sessions.ts'
import { S1, setBench } from '../../activities/support.ts'
import { sharedTemporal } from '../../support/temporal.ts'

test('a repository that git never can read again keeps no session from its end: it is tried a few times, and then without it', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  await bench.run('openSession', { sessionId: S1 })
  await bench.store.sessions.update(S1, { run_id: randomUUID() })
  const { address, namespace } = await sharedTemporal()
  const connection = await Connection.connect({ address })
  t.after(() => connection.close())
  appendFileSync(join(bench.repository, '.git/config'), '[half')
  await closeOrphanedSessions(
    { sessions: bench.shop.sessionsFolder },
    bench.store,
    new Client({ connection, namespace }),
  )
  const closed = await bench.store.sessions.get(S1)
  assert.deepEqual([closed?.status, closed?.ending?.class], ['failed', 'infrastructure'])
})
