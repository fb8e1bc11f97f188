// What a session stands on goes away and does not come back: the command ends by itself, with 3 and a sentence that says what helps.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { describe, test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'

describe('gone for good', { concurrency: 2 }, () => {
  test('a repository: the tries end after minutes, and nothing is charged to the issue', async (t) => {
    const hold = { faults: [{ match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } }] } as const
    const stage = await setMadeStage(t, 1, { scenario: { faults: [...hold.faults] } })
    const fix = stage.start(stage.made.findings)
    await stage.model.waitFor({ role: 'fixer' })
    renameSync(stage.repository, `${stage.repository}.away`)
    stage.model.release()
    const { status, result, stderr } = await fix.ended
    renameSync(`${stage.repository}.away`, stage.repository)
    assert.deepEqual([status, result?.ending?.class], [3, 'infrastructure'], stderr)
    assert.match(stderr, /has failed \d+ of 10 times since .*What helps: put the repo/)
    const [issue] = await stage.read((store) => store.issues.list())
    assert.equal(issue?.status, 'open')
    await checkInvariants(stage)
  })

  test('the fixer’s provider: the tries end after minutes, and say its address', async (t) => {
    const environment = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
    const stage = await setMadeStage(t, 1, { environment })
    const { status, result, stderr } = await stage.start(stage.made.findings).ended
    assert.deepEqual([status, result?.ending?.class], [3, 'infrastructure'], stderr)
    assert.match(stderr, /claude at 127\.0\.0\.1:9 .*not reached/)
    const [issue] = await stage.read((store) => store.issues.list())
    assert.equal(issue?.status, 'open')
    await checkInvariants(stage)
  })
})
