import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApplicationFailure } from '@temporalio/common'
import { loadArtifact } from '../../src/activities/artifacts.ts'
import { GateRecord } from '../../src/domain/verification/gate-record.ts'
import { setBench } from './support.ts'

test('loadArtifact reads what was stored, and ends for good with its name where that is something else', async (t) => {
  const { shop } = await setBench(t)
  const { ref } = await shop.artifacts.put('{"tree":"abc","maybeFlaky":["npm test"]}')
  assert.deepEqual(await loadArtifact(shop, ref, GateRecord), { tree: 'abc', maybeFlaky: ['npm test'] })
  for (const text of ['{"tree":1}', '{"tree":', '{"tree":"abc","verification":[{"command":"x"}]}']) {
    const stored = await shop.artifacts.put(text)
    await assert.rejects(loadArtifact(shop, stored.ref, GateRecord), (error) => {
      assert.ok(error instanceof ApplicationFailure && error.nonRetryable)
      assert.match(error.message, new RegExp(`^the artifact ${stored.ref} is not what this version stores`))
      return true
    })
  }
})
