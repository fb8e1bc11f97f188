// The workflow's code is pinned by what it did before: histories of real sessions, one for each kind of end-to-end scenario, replayed
// on the bundle that a worker runs. A change that breaks one of them would break sessions that people have running: it needs
// `patched` (or a new workflow type), not a new recording.
//
// A new kind of scenario gets a history of its own: name it in its test's `checkInvariants(stage, 'name')`, run that test with
// FIXWRIGHT_RECORD_HISTORIES=1 and commit what appears in test/histories. What is there already is never written again by a test;
// one that no released version could have made may be deleted and recorded anew, and the commit has to say so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { loadWorkflowBundle } from '../../src/runtime/worker/workflow-bundle.ts'
import { keptHistories } from '../support/histories.ts'

Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: 'off' } } })

const kept = keptHistories()
const workflowIdOf = (history: object): string =>
  /"workflowId":"([^"]+)"/.exec(JSON.stringify(history))?.[1] ?? 'fix-session/replayed'

test('every kept history replays on the code of today', async () => {
  assert.ok(kept.length >= 12, `${kept.length} histories are kept`)
  // A seal holds for one workflow, so each has the id that it had.
  const all = kept.map(({ name, history }) => ({ name, workflowId: workflowIdOf(history), history }))
  const listNames = (id: string) => all.filter(({ workflowId }) => workflowId === id).map(({ name }) => name)
  const failures: string[] = []
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle: await loadWorkflowBundle() },
    all,
  )) {
    if (error) failures.push(`${listNames(workflowId).join(' or ')}: ${error.message}`)
  }
  assert.deepEqual(failures, [])
})

test('a history that the code of today would not have made is noticed', async () => {
  const text = JSON.stringify(kept[0]?.history).replaceAll('"challengeTree"', '"somethingElse"')
  const replay = Worker.runReplayHistory({ workflowBundle: await loadWorkflowBundle() }, JSON.parse(text))
  await assert.rejects(replay, { name: 'DeterminismViolationError' })
})

test('the kept histories hold no secret and nothing of the machine that made them but its temporary folders', () => {
  for (const { name, history } of kept) {
    const text = JSON.stringify(history).replace(/[A-Za-z0-9+/]{40,}={0,2}/g, (data) =>
      Buffer.from(data, 'base64').toString(),
    )
    assert.doesNotMatch(text, /rehearsal-key|sk-ant|AIza|\/root\/|\/home\//, name)
  }
})
