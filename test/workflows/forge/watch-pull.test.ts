// The real workflow of a watch on a real server, with activities that answer what the test says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCommandId } from '../../../src/domain/forge/command-id.ts'
import { formatWatchId } from '../../../src/domain/forge/watch-id.ts'
import { WATCH_WORKFLOW } from '../../../src/domain/workflow-types/temporal-names.ts'
import { gate, type Stubs, stubSession } from '../../support/stub-session.ts'
import { until } from '../../support/until.ts'

test('a watch that is stopped leaves alone the commands that it has started, which end with what they could not say', async (t) => {
  const reading = gate()
  t.after(reading.open)
  let isReading = false
  const stubs: Stubs = {
    lookAtPull: async () => {
      const pull = { tag: 'a', state: 'open', branch: 'feature', base: 'main' } as const
      return { kind: 'done', value: { kind: 'seen', pull, labels: { attributes: [], repository: '/r' } } }
    },
    recordLanding: async () => ({
      kind: 'done',
      value: { merged: [], reopened: [], restored: [], unknown: [], left: 1 },
    }),
    findCommands: async () => ({
      kind: 'done',
      value: { ids: [7], next: { since: '2026-11-20T00:00:00Z', after: 7 } },
    }),
    readCommand: async () => {
      isReading = true
      await reading.passed
      return { kind: 'done', value: { kind: 'refused', by: 'bob', why: 'the test is over' } }
    },
    findCommandReply: async () => ({ kind: 'refused', code: 'forge_refused', detail: 'no right to comment' }),
  }
  const { client, workflowId: taskQueue, ended } = await stubSession(t, {}, stubs)
  const github = {
    ...{ host: 'forge.example', token_file: null, app_id: null, app_key_file: null, webhook_secret_file: null },
    ...{ commands: true, look_again_seconds: 0, watch_seconds: 60, watch_max_seconds: 60 },
  }
  const remote = `https://forge.example/ada/${taskQueue}.git`
  const subject = { remote, number: 1, repositoryId: 'r', branch: '' }
  const watch = await client.workflow.start(WATCH_WORKFLOW, {
    ...{ workflowId: formatWatchId(subject), taskQueue },
    args: [{ ...subject, homeQueue: taskQueue, github, name: 'ada/shop#1' }],
  })
  await until('the command is being read', () => isReading)
  await watch.cancel()
  await assert.rejects(watch.result())
  reading.open()
  const command = client.workflow.getHandle(formatCommandId({ ...subject, commentId: 7 }))
  assert.deepEqual(await command.result(), {
    kind: 'refused',
    detail: 'the test is over; the thread does not say so: no right to comment',
  })
  const { events } = await watch.fetchHistory()
  assert.ok(events)
  assert.ok(events.some((event) => event.workflowExecutionCanceledEventAttributes))
  assert.ok(!events.some((event) => event.requestCancelExternalWorkflowExecutionInitiatedEventAttributes))
  await ended()
})
