// A session with lanes whose history has grown long, on a real server: what its stages found out about files reaches the next run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenedSession } from '../../../src/domain/workflow-types/index.ts'
import { fixed, stubSession } from '../../support/stub-session.ts'

test('stages that turned out to share a file follow each other in the next run, too', async (t) => {
  const stages = ['A', 'B', 'C', 'D'].map((code) => ({
    batches: [{ kind: 'backend', label: code, workload: 1, steps: [[code]] }],
  })) satisfies OpenedSession['stages']
  const log: string[] = []
  const session = await stubSession(
    t,
    { stages, lanes: { count: 2, sharing: [] }, continueAfterEvents: 10 },
    {
      fixBatch: async (input) => {
        log.push(`fix ${input.codes}`)
        return fixed(input, input.stage === 1 ? { alsoTouched: ['C', 'D'] } : {})
      },
      mergeStage: async ({ stepId, codes }) => {
        const issues = Object.fromEntries(codes.map((code) => [code, { files: 1 }]))
        const work = { snapshot: stepId, tree: 'tree', owners: [], outOfScope: [], violations: [], issues }
        return { kind: 'clean', work, isSameDiff: true }
      },
      commitStage: async ({ codes }) => {
        log.push(`commit ${codes}`)
        return { kind: 'committed', sha: `sha of ${codes}`, codes }
      },
    },
  )
  await session.ended()
  const { runId } = await session.client.workflow.getHandle(session.workflowId).describe()
  const { events } = await session.client.workflow.getHandle(session.workflowId, runId).fetchHistory()
  assert.ok(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId)
  assert.deepEqual(log.slice(-4), ['fix C', 'commit C', 'fix D', 'commit D'])
})
